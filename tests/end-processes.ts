// Set-up of every test file: processes that its tests started end with it.

import { afterAll } from 'vitest'
import { endAll, endWithVitest } from './processes.js'

endWithVitest()
afterAll(endAll)
