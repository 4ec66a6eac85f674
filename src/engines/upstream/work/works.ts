/** How each kind of work is asked of servers behind. */
import type { WorkKind } from '../../../core/work.ts'
import { prepareChat } from './chat-work.ts'
import type { PrepareWork } from './upstream-work.ts'

/** Absent: it is not. */
export const works: { readonly [Kind in WorkKind]?: PrepareWork<Kind> } = {
  chat: prepareChat,
}
