import { Empty } from '../parts/states.js'

export const Locked = () => (
  <Empty title="This panel is locked">
    <p>
      Its link works once, and only for a minute. For a new one run <code>holdfast ui</code> in a terminal.
    </p>
  </Empty>
)

export const NoAnswer = ({ error }: { readonly error: Error }) => (
  <Empty title="The panel does not answer">
    <p>
      <code>holdfast ui</code> may have ended. Start it again and open its link. ({error.message})
    </p>
  </Empty>
)
