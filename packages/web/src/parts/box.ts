import { type RefObject, useLayoutEffect, useState } from 'react'

export interface Box {
  readonly width: number
  readonly height: number
}

/** The inner size of an element without its scroll bars; 0 × 0 before it is measured. */
export function useBox(of: RefObject<HTMLElement | null>): Box {
  const [box, setBox] = useState<Box>({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const element = of.current
    if (!element) return
    const measure = () =>
      setBox(before =>
        before.width === element.clientWidth && before.height === element.clientHeight
          ? before
          : { width: element.clientWidth, height: element.clientHeight },
      )
    measure()
    const watch = new ResizeObserver(measure)
    watch.observe(element)
    return () => watch.disconnect()
  }, [of])
  return box
}
