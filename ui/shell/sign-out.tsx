import { useState } from 'preact/hooks'
import { endSession, leaveSignedOut, me } from '../api/session.ts'
import type { ChatStore } from '../pages/chat/kept/chat-store.ts'
import { alarm } from '../parts/announce.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { texts } from '../texts/texts.ts'

interface Kept {
  readonly store: ChatStore
  readonly count: number
}

/** Signs out. Asks first what happens to conversations that this browser keeps. */
export function SignOut() {
  const [kept, setKept] = useState<Kept>()
  const words = texts.shell

  const signOut = async (forget?: () => Promise<void>) => {
    await endSession()
    await forget?.()
    leaveSignedOut()
  }
  const ask = async () => {
    const found = await keptConversations()
    if (found === undefined) await signOut()
    else setKept(found)
  }
  const close = () => {
    kept?.store.close()
    setKept(undefined)
  }
  return (
    <>
      <button type="button" onClick={() => void ask().catch((error) => alarm(error.message))}>
        {words.signOut}
      </button>
      {kept !== undefined && (
        <FormDialog
          title={words.signOutTitle}
          text={words.conversationsStay(kept.count)}
          button={words.signOut}
          onClose={close}
          onSend={(field) => signOut(field('forget') === '' ? undefined : () => kept.store.removeAll())}
        >
          <label class="check">
            <input type="checkbox" name="forget" /> {words.deleteConversations}
          </label>
        </FormDialog>
      )}
    </>
  )
}

/** Returns the account's conversations in this browser; undefined if it keeps none. */
async function keptConversations(): Promise<Kept | undefined> {
  if (me.value === undefined) return undefined
  try {
    const { ChatStore } = await import('../pages/chat/kept/chat-store.ts')
    const store = await ChatStore.open(me.value.id)
    const { length: count } = await store.list()
    if (count > 0) return { store, count }
    store.close()
  } catch {
    // A browser without storage keeps nothing.
  }
  return undefined
}
