import { runHalf } from './run-scripts.js'

runHalf(1)
