// For every test file: what its tests have started ends with it.

import { afterAll } from 'vitest'
import { endAll, endWithVitest } from './processes.js'

endWithVitest()
afterAll(endAll)
