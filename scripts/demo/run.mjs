// The demonstration by itself, in a folder of one's own, once everything is built: node scripts/demo/run.mjs FOLDER

import { resolve } from 'node:path'
import { main } from '../steps.mjs'
import { runDemo } from './demo.mjs'

await main(() => runDemo(resolve(process.argv[2] ?? '.demo')))
