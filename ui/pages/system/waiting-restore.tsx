import type { OperationJson } from '../../../src/operations/money-text.ts'
import { perform } from '../../api/operation.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.tsx'
import { May } from '../../parts/may.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/system-texts.ts'
import { RestartNote } from './restart-note.tsx'

interface WaitingRestoreProps {
  readonly restore: NonNullable<OperationJson<'backup-status'>['restore']>
  readonly canRestart: boolean
  readonly onDropped: () => Promise<void>
}

/** Tells of the restore that the next start carries out, and drops it on demand. */
export function WaitingRestore({ restore, canRestart, onDropped }: WaitingRestoreProps) {
  const words = texts.system
  return (
    <section class="card stack" aria-labelledby="waiting-restore">
      <h2 id="waiting-restore">{words.restoreWaits}</h2>
      <p class="warn">
        <code class="breaks">{restore.name}</code>, {words.madeAt} <Time at={restore.createdMs} />
      </p>
      <p>{words.restoreWaitsText(restore.kept)}</p>
      <div class="row">
        <May perform="server-restart">
          <RestartNote canRestart={canRestart} />
        </May>
        <May perform="backups-cancel-restore">
          <ActionButton
            class="quiet"
            onAct={async () => {
              await perform('backups-cancel-restore', {})
              announce(words.restoreDropped)
              await onDropped()
            }}
          >
            {words.dropRestore}
          </ActionButton>
        </May>
      </div>
    </section>
  )
}
