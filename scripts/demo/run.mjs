// The demonstration alone, in a given folder, after a build: node scripts/demo/run.mjs FOLDER

import { resolve } from 'node:path'
import { main } from '../steps.mjs'
import { runDemo } from './demo.mjs'

await main(() => runDemo(resolve(process.argv[2] ?? '.demo')))
