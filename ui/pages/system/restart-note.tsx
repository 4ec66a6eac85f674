import { useState } from 'preact/hooks'
import { checkConnection, reconnections } from '../../api/connection.ts'
import { perform } from '../../api/operation.ts'
import { announce } from '../../parts/announce.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { texts } from '../../texts/system-texts.ts'

/** Offers to restart the server if somebody is known to start it again, and says otherwise where that is done. */
export function RestartNote({ canRestart }: { readonly canRestart: boolean }) {
  const [isAsking, setIsAsking] = useState(false)
  const words = texts.system
  if (!canRestart) return <p class="muted">{words.restartByHand}</p>
  return (
    <div>
      <button type="button" onClick={() => setIsAsking(true)}>
        {words.restart}
      </button>
      {isAsking && (
        <FormDialog
          title={words.restartTitle}
          text={words.restartText}
          button={words.restart}
          onClose={() => setIsAsking(false)}
          onSend={async () => {
            await perform('server-restart', {})
            setIsAsking(false)
            announce(words.restarting)
            void followRestart()
          }}
        />
      )}
    </div>
  )
}

const askEveryMs = 250
const asks = 40

/** Waits until the server is gone, which the page then shows, or loads the page's data again if that was too quick to see. */
async function followRestart(): Promise<void> {
  for (let ask = 0; ask < asks; ask += 1) {
    if (!(await checkConnection())) return
    await new Promise((resolve) => setTimeout(resolve, askEveryMs))
  }
  reconnections.value += 1
}
