import type { Locator } from 'playwright-core'

/** How long frames take while a list is scrolled fast, in milliseconds, shortest first. */
export const scrollFrames = (list: Locator, frames: number): Promise<number[]> =>
  list.evaluate(async (element, frames) => {
    const took: number[] = []
    let last = performance.now()
    for (let frame = 0; frame < frames; frame++) {
      element.scrollTop += 160
      await new Promise(requestAnimationFrame)
      const now = performance.now()
      took.push(now - last)
      last = now
    }
    return took.sort((a, b) => a - b)
  }, frames)
