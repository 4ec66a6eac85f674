/** Parts of the chat that need the browser's database: loaded together, apart from the page. */
export { ConversationList } from './conversation-list.tsx'
export { Chats } from './kept/chats.ts'
export { markHit, unmarkHit } from './show-hit.ts'
