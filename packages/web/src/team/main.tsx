import '../styles/tokens.css'
import '../styles/base.css'
import { Code, ConnectError } from '@connectrpc/connect'
import { TransportProvider } from '@connectrpc/connect-query'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRouter, RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { Failed } from '../parts/states.js'
import { openQueries } from '../shell/queries.js'
import { ROUTING } from '../shell/router.js'
import { TeamContext } from './context.js'
import { openNews } from './news.js'
import { routeTree } from './routes.js'
import { openTransport, toSignIn } from './transport.js'

const router = createRouter({ routeTree, ...ROUTING })

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: typeof router
  }
}

const page = createRoot(document.getElementById('root')!)

async function start() {
  const { transport, people, audit } = openTransport()
  const me = await people.whoAmI({})
  const queries = openQueries()
  page.render(
    <TransportProvider transport={transport}>
      <QueryClientProvider client={queries}>
        <TeamContext value={{ me, live: openNews(audit, queries) }}>
          <RouterProvider router={router} />
        </TeamContext>
      </QueryClientProvider>
    </TransportProvider>,
  )
}

start().catch(error => {
  if (ConnectError.from(error).code === Code.Unauthenticated) toSignIn()
  else page.render(<Failed error={error} onRetry={() => location.reload()} />)
})
