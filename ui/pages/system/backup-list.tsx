import { useState } from 'preact/hooks'
import type { OperationJson } from '../../../src/operations/money-text.ts'
import { perform, type Rows } from '../../api/operation.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { bytesText } from '../../parts/bytes-text.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Figures } from '../../parts/figures.tsx'
import { ExactMoney } from '../../parts/money.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/operator-texts.ts'

type Backup = Rows<'backups-list'>
type Checked = OperationJson<'backups-prepare-restore'>

/** Lists the backups of the folder, to download them or to prepare a restore. */
export function BackupList({ backups }: { readonly backups: readonly Backup[] }) {
  const [checked, setChecked] = useState<Checked>()
  const words = texts.system
  if (backups.length === 0) return <p class="muted">{words.noBackups}</p>
  return (
    <>
      <Table
        caption={words.backups}
        rows={backups}
        rowKey={({ name }) => name}
        columns={[
          { title: words.file, cell: ({ name }) => <code class="breaks">{name}</code> },
          { title: words.made, cell: ({ createdMs }) => <Time at={createdMs} /> },
          { title: words.size, isNumber: true, cell: ({ bytes }) => bytesText(bytes) },
          {
            title: words.action,
            cell: ({ name }) => (
              <span class="row">
                <a class="button small" download href={`/admin/api/backups/${name}`}>
                  {words.download}
                </a>
                <ActionButton
                  class="small"
                  onAct={async () => setChecked(await perform('backups-prepare-restore', { name }))}
                >
                  {words.restore}
                </ActionButton>
              </span>
            ),
          },
        ]}
      />
      {checked !== undefined && <RestoreDialog checked={checked} onClose={() => setChecked(undefined)} />}
    </>
  )
}

/** Shows what a checked backup holds, and how to restore it. */
function RestoreDialog({ checked, onClose }: { readonly checked: Checked; readonly onClose: () => void }) {
  const words = texts.system
  const { command, problems, accounts, balancesUsd, manifests, createdMs, inferd } = checked
  return (
    <Dialog title={words.restoreTitle} onClose={onClose}>
      <p>{words.restoreText}</p>
      <Figures
        items={[
          [words.made, <Time key="made" at={createdMs} />],
          [words.madeBy, inferd],
          [words.accounts, accounts.toLocaleString('en')],
          [words.balances, <ExactMoney key="balances" usd={balancesUsd} />],
          [words.manifests, manifests.toLocaleString('en')],
        ]}
      />
      {problems.length > 0 && <p class="bad">{words.booksWrong(problems[0] ?? '')}</p>}
      <ol>
        <li>{words.restoreSteps.stop}</li>
        <li>
          <div class="row">
            <code class="breaks">{command}</code>
            <CopyButton text={command} what={words.restoreWhat} />
          </div>
        </li>
        <li>{words.restoreSteps.start}</li>
      </ol>
      <div class="actions">
        <button type="button" onClick={onClose}>
          {texts.shared.close}
        </button>
      </div>
    </Dialog>
  )
}
