import '../styles/tokens.css'
import '../styles/base.css'
import { TransportProvider } from '@connectrpc/connect-query'
import { QueryClientProvider } from '@tanstack/react-query'
import { createRouter, RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { openQueries } from '../shell/queries.js'
import { ROUTING } from '../shell/router.js'
import { PanelContext } from './context.js'
import { enter } from './entry.js'
import { Locked, NoAnswer } from './locked.js'
import { openNews } from './news.js'
import { routeTree } from './routes.js'
import { openTransport } from './transport.js'

const router = createRouter({ routeTree, ...ROUTING })

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: typeof router
  }
}

const page = createRoot(document.getElementById('root')!)

async function start() {
  const entry = await enter()
  if (!entry) return page.render(<Locked />)
  const { transport, client } = openTransport(entry.secret)
  const workspace = await client.getWorkspace({})
  const queries = openQueries()
  const news = openNews(client, queries)
  page.render(
    <TransportProvider transport={transport}>
      <QueryClientProvider client={queries}>
        <PanelContext value={{ workspace, news }}>
          <RouterProvider router={router} />
        </PanelContext>
      </QueryClientProvider>
    </TransportProvider>,
  )
}

start().catch(error => page.render(<NoAnswer error={error} />))
