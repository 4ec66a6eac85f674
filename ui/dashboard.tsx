/** Entry of the members' pages. */
import { start } from './shell/start.tsx'

start('use')
