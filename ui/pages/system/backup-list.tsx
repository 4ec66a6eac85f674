import { perform, type Rows } from '../../api/operation.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { bytesText } from '../../parts/bytes-text.ts'
import { May } from '../../parts/may.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/system-texts.ts'
import type { Checked } from './restore-dialog.tsx'

interface BackupListProps {
  readonly backups: readonly Rows<'backups-list'>[]
  readonly onChecked: (checked: Checked) => void
  readonly onRemoved: () => Promise<void>
  readonly onDownload: (name: string) => void
}

/** Lists the backups of the folder and those that were uploaded, to download them or to check them for a restore. */
export function BackupList({ backups, onChecked, onRemoved, onDownload }: BackupListProps) {
  const words = texts.system
  if (backups.length === 0) return <p class="muted">{words.noBackups}</p>
  return (
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
          cell: ({ name, isUploaded }) => (
            <span class="row">
              <May perform="backups-open">
                <button type="button" class="small" onClick={() => onDownload(name)}>
                  {words.download}
                </button>
              </May>
              <May perform="backups-check">
                <ActionButton class="small" onAct={async () => onChecked(await perform('backups-check', { name }))}>
                  {words.restore}
                </ActionButton>
              </May>
              {isUploaded && (
                <May perform="backups-remove">
                  <ActionButton
                    class="small quiet danger"
                    onAct={async () => {
                      await perform('backups-remove', { name })
                      await onRemoved()
                    }}
                  >
                    {words.removeUpload}
                  </ActionButton>
                </May>
              )}
            </span>
          ),
        },
      ]}
    />
  )
}
