import { useState } from 'preact/hooks'
import { endSession, leaveSignedOut, me } from '../api/session.ts'
import { alarm } from '../parts/announce.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { texts } from '../texts/texts.ts'

/** Signs out. Asks first what happens to conversations that this browser keeps. */
export function SignOut() {
  const [kept, setKept] = useState(0)
  const words = texts.shell
  const account = me.value?.id ?? ''

  const ask = async () => {
    const count = await countKept(account)
    if (count > 0) setKept(count)
    else await signOut(account, false)
  }
  return (
    <>
      <button type="button" onClick={() => void ask().catch((error) => alarm(error.message))}>
        {words.signOut}
      </button>
      {kept > 0 && (
        <FormDialog
          title={words.signOutTitle}
          text={words.conversationsStay(kept)}
          button={words.signOut}
          onClose={() => setKept(0)}
          onSend={(field) => signOut(account, field('forget') !== '')}
        >
          <label class="check">
            <input type="checkbox" name="forget" /> {words.deleteConversations}
          </label>
        </FormDialog>
      )}
    </>
  )
}

async function signOut(account: string, hasToForget: boolean): Promise<void> {
  const next = await endSession()
  if (hasToForget) await (await loadKept()).deleteConversations(account)
  leaveSignedOut(next)
}

const loadKept = () => import('../pages/chat/kept/delete-all.ts')

/** Returns the number of the account's conversations in this browser; 0 if it cannot keep any. */
async function countKept(account: string): Promise<number> {
  try {
    return await (await loadKept()).countConversations(account)
  } catch {
    return 0
  }
}
