import { useState } from 'preact/hooks'
import { perform, useResult } from '../../api/operation.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.tsx'
import { bytesText } from '../../parts/bytes-text.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Figures } from '../../parts/figures.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { Time } from '../../parts/time.tsx'
import { durationText } from '../../parts/time-text.ts'
import { texts } from '../../texts/system-texts.ts'
import { BackupList } from './backup-list.tsx'
import { cronLine } from './cron-line.ts'
import { DownloadDialog } from './download-dialog.tsx'
import { type Checked, RestoreDialog } from './restore-dialog.tsx'
import { UploadBackup } from './upload-backup.tsx'
import { WaitingRestore } from './waiting-restore.tsx'

/** Shows the latest backup and the schedule, makes a backup on demand, and lists those that can be downloaded or restored. */
export function BackupTab() {
  const answer = useResult('backup-status', {})
  const backups = useResult('backups-list', {})
  const [checked, setChecked] = useState<Checked>()
  const [downloading, setDownloading] = useState<string>()
  const words = texts.system
  const reload = async () => {
    await Promise.all([answer.reload(), backups.reload()])
  }
  return (
    <>
      <div class="stack at-start">
        <Loaded answer={answer} lines={0}>
          {({ restore, canRestart }) =>
            restore !== null && <WaitingRestore restore={restore} canRestart={canRestart} onDropped={reload} />
          }
        </Loaded>
        <Loaded answer={answer}>
          {({ latest, folder, everyMs, keep, count, failure, folderProblem }) => (
            <section class="card stack">
              <h2>{words.latestBackup}</h2>
              {latest === null ? (
                <p>{words.noBackup}</p>
              ) : (
                <>
                  <p>
                    <code>{latest.path}</code>
                  </p>
                  <Figures
                    items={[
                      [words.size, bytesText(latest.bytes)],
                      [words.made, <Time key="made" at={latest.createdMs} />],
                    ]}
                  />
                </>
              )}
              <Figures
                items={[
                  [words.folder, <code key="folder">{folder}</code>],
                  [words.schedule, everyMs === null ? words.noSchedule : words.every(durationText(everyMs))],
                  [words.files, words.kept(keep, count)],
                ]}
              />
              {folderProblem !== null && <p class="bad">{folderProblem}</p>}
              {failure !== null && (
                <p class="bad">
                  {words.backupFailed}, <Time at={failure.atMs} />: {failure.reason}
                </p>
              )}
            </section>
          )}
        </Loaded>
        <div class="row">
          <May perform="backup">
            <ActionButton
              class="primary"
              onAct={async () => {
                const { path } = await perform('backup', {})
                announce(words.backupDone(path))
                await reload()
              }}
            >
              {words.backUp}
            </ActionButton>
          </May>
          <May perform="backups-add-upload">
            <UploadBackup
              onAdded={async (added) => {
                setChecked(added)
                await reload()
              }}
            />
          </May>
        </div>
        <section class="stack">
          <h2>{words.backups}</h2>
          <Loaded answer={backups}>
            {(rows) => (
              <BackupList backups={rows} onChecked={setChecked} onRemoved={reload} onDownload={setDownloading} />
            )}
          </Loaded>
        </section>
        <section class="stack">
          <h2>{words.cron}</h2>
          <Loaded answer={answer}>
            {({ command }) => {
              const line = cronLine(command)
              return (
                <div class="row">
                  <code>{line}</code>
                  <CopyButton text={line} what={words.cronWhat} />
                </div>
              )
            }}
          </Loaded>
        </section>
      </div>
      {downloading !== undefined && <DownloadDialog name={downloading} onClose={() => setDownloading(undefined)} />}
      {checked !== undefined && (
        <RestoreDialog
          checked={checked}
          onClose={() => setChecked(undefined)}
          onWaiting={async () => {
            setChecked(undefined)
            announce(words.restoreIsReady)
            await reload()
          }}
        />
      )}
    </>
  )
}
