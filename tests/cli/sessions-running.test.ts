import { playSessions } from './play-sessions.js'

playSessions('running')
