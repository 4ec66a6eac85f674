/** Entry of the operator's pages. */
import { start } from './shell/start.tsx'

start('operate')
