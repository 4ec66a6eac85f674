import { useState } from 'preact/hooks'
import type { OperationJson } from '../../../src/operations/money-text.ts'
import { perform } from '../../api/operation.ts'
import { mayPerform } from '../../api/session.ts'
import { useLoaded } from '../../api/use-answer.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { bytesText } from '../../parts/bytes-text.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Figures } from '../../parts/figures.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/system-texts.ts'
import { GpuSection } from './gpu-section.tsx'

type Diagnosis = OperationJson<'doctor'>

/** Age after which findings are renewed on viewing. A check reads the whole database, so it does not run each time. */
const freshMs = 60 * 60 * 1000

/** Shows versions and the doctor's findings, the worst first. */
export function HealthTab() {
  const answer = useLoaded('health', async (signal) => {
    const { latest } = await perform('doctor-latest', {}, { signal })
    const isFresh = latest !== null && Date.now() - latest.checkedMs < freshMs
    return isFresh || !mayPerform('doctor') ? latest : perform('doctor', {}, { signal })
  })
  const words = texts.system
  return (
    <div class="stack">
      <div class="row">
        <May perform="doctor">
          <ActionButton
            onAct={async () => {
              await perform('doctor', {})
              await answer.reload()
            }}
          >
            <Icon name="rotate-cw" /> {words.runAgain}
          </ActionButton>
        </May>
        <May perform="diagnosis">
          <DiagnosisButton />
        </May>
        {answer.data && (
          <span class="muted">
            {words.checkedAt} <Time at={answer.data.checkedMs} />
          </span>
        )}
      </div>
      <Loaded answer={answer} lines={8}>
        {(latest) => (latest === null ? <Empty text={words.unchecked} /> : <Findings diagnosis={latest} />)}
      </Loaded>
      <GpuSection />
    </div>
  )
}

function Findings({ diagnosis: { checks, folders, versions } }: { readonly diagnosis: Diagnosis }) {
  const words = texts.system
  return (
    <div class="stack">
      <Table
        caption={words.checks}
        rows={checks.map((check, index) => ({ ...check, index })).toSorted((a, b) => rank(a) - rank(b))}
        rowKey={({ index }) => String(index)}
        columns={[
          { title: words.check, cell: ({ name }) => <b>{name}</b> },
          {
            title: words.verdict,
            cell: ({ verdict }) => <span class={`verdict ${verdict}`}>{words.verdicts[verdict]}</span>,
          },
          {
            title: words.finding,
            cell: ({ text, advice }) => (
              <>
                {text}
                {advice !== null && <span class="sub">{advice}</span>}
              </>
            ),
          },
        ]}
      />
      <h2>{words.disks}</h2>
      <Table
        caption={words.disks}
        rows={folders}
        rowKey={({ name }) => name}
        columns={[
          { title: words.folder, cell: ({ name }) => <b>{words.folders[name] ?? name}</b> },
          { title: words.path, cell: ({ path }) => <code class="breaks">{path}</code> },
          { title: words.free, isNumber: true, cell: ({ freeBytes }) => bytesText(freeBytes) },
          { title: words.ofDisk, isNumber: true, cell: ({ totalBytes }) => bytesText(totalBytes) },
        ]}
      />
      <h2>{words.versions}</h2>
      <Figures
        items={Object.entries({ ...versions, driver: versions.driver ?? words.noDriver }).map(
          ([name, version]) => [words.versionNames[name] ?? name, version] as const,
        )}
      />
    </div>
  )
}

const order = ['bad', 'warn', 'unknown', 'ok']

function rank({ verdict }: { readonly verdict: string }): number {
  return order.indexOf(verdict)
}

/** Creates a diagnosis on demand, since it takes a while, and offers it for copying. */
function DiagnosisButton() {
  const [text, setText] = useState<string>()
  const words = texts.system
  if (text !== undefined)
    return (
      <span>
        {words.copyDiagnosis} <CopyButton text={text} what={words.copyDiagnosis} />
      </span>
    )
  return (
    <ActionButton title={words.diagnosisText} onAct={async () => setText((await perform('diagnosis', {})).text)}>
      <Icon name="list" /> {words.makeDiagnosis}
    </ActionButton>
  )
}
