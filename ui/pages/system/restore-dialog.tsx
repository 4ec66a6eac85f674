import type { OperationJson } from '../../../src/operations/money-text.ts'
import { perform } from '../../api/operation.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Figures } from '../../parts/figures.tsx'
import { Form } from '../../parts/form.tsx'
import { ExactMoney } from '../../parts/money.tsx'
import { OwnPasswordField } from '../../parts/operator/own-password-field.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/system-texts.ts'

export type Checked = Omit<OperationJson<'backups-check'>, 'command'> & { readonly command?: string }

interface RestoreDialogProps {
  readonly checked: Checked
  readonly onClose: () => void
  /** Called once the restore waits for the next start. */
  readonly onWaiting: () => Promise<void>
}

/** Shows what a checked backup holds, and restores it at the next start once the operator's password is typed. */
export function RestoreDialog({ checked, onClose, onWaiting }: RestoreDialogProps) {
  const words = texts.system
  const { name, sum, problems, settingsProblem, accounts, balancesUsd, manifests, createdMs, inferd } = checked
  const [problem] = [...problems, ...(settingsProblem === null ? [] : [settingsProblem])]
  return (
    <Dialog title={words.restoreTitle} onClose={onClose}>
      <p>
        <code class="breaks">{name}</code>
      </p>
      <Figures
        items={[
          [words.made, <Time key="made" at={createdMs} />],
          [words.madeBy, inferd],
          [words.accounts, accounts.toLocaleString('en')],
          [words.balances, <ExactMoney key="balances" usd={balancesUsd} />],
          [words.manifests, manifests.toLocaleString('en')],
        ]}
      />
      {problem === undefined ? (
        <>
          <p>{words.restoreText}</p>
          <Form
            button={words.restoreAtStart}
            isDangerous
            onCancel={onClose}
            onSend={async (field) => {
              await perform('backups-restore', { name, sum, current: field('current') })
              await onWaiting()
            }}
          >
            <OwnPasswordField hint={words.ownPasswordText} isFirst required />
          </Form>
        </>
      ) : (
        <Refused problem={problem} {...checked} onClose={onClose} />
      )}
    </Dialog>
  )
}

/** Says why pages do not restore a backup, and which command does. */
function Refused({
  problem,
  command,
  onClose,
}: Pick<Checked, 'command'> & { readonly problem: string; readonly onClose: () => void }) {
  const words = texts.system
  return (
    <>
      <p class="bad">{words.notRestored(problem)}</p>
      {command !== undefined && (
        <>
          <p>{words.byCommand}</p>
          <div class="row">
            <code class="breaks">{command}</code>
            <CopyButton text={command} what={words.restoreWhat} />
          </div>
        </>
      )}
      <div class="actions">
        <button type="button" onClick={onClose}>
          {texts.shared.close}
        </button>
      </div>
    </>
  )
}
