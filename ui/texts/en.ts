/** English, page by page. */
import { keys } from './en/keys.ts'
import { shared } from './en/shared.ts'
import { shell } from './en/shell.ts'

export const en = { shared, shell, keys }
