/** Tables, figures and small charts. */
import { useState } from 'preact/hooks'
import { Figures } from '../parts/figures.tsx'
import { LongText } from '../parts/long-text.tsx'
import { Pager } from '../parts/pager.tsx'
import { Sparkline } from '../parts/sparkline.tsx'
import { StateWord } from '../parts/state-word.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Section } from './section.tsx'

interface Model {
  readonly id: string
  readonly type: string
  readonly context: number | undefined
  readonly usd: string
  readonly isReady: boolean
}

const models: readonly Model[] = [
  { id: 'Qwen/Qwen3-32B', type: 'Chat', context: 32_768, usd: '0.1', isReady: true },
  { id: 'openai/gpt-oss-20b', type: 'Chat', context: 131_072, usd: '0.05', isReady: false },
  { id: 'inferd/starter-embed', type: 'Embeddings', context: 512, usd: '0.001', isReady: true },
  { id: 'inferd/starter-tts', type: 'Speech', context: undefined, usd: '0.05', isReady: false },
]

const columns: readonly Column<Model>[] = [
  { title: 'Model', cell: ({ id }) => <a href="#tables">{id}</a> },
  {
    title: 'State',
    cell: ({ isReady }) => <StateWord tone={isReady ? 'ok' : 'off'} word={isReady ? 'ready' : 'not loaded'} />,
  },
  { title: 'Context', isNumber: true, cell: ({ context }) => context?.toLocaleString('en') },
  { title: 'Price', usd: ({ usd }) => usd },
  {
    title: 'Actions',
    cell: () => (
      <span class="row">
        <button type="button" class="small">
          Load
        </button>
        <button type="button" class="small danger">
          Remove
        </button>
      </span>
    ),
  },
]

export function DataSections() {
  const [isGrouped, setIsGrouped] = useState(true)
  return (
    <>
      <Section name="Tables">
        <label class="check">
          <input type="checkbox" checked={isGrouped} onChange={() => setIsGrouped(!isGrouped)} /> In groups
        </label>
        <Table
          caption="Models"
          columns={columns}
          rows={models}
          rowKey={({ id }) => id}
          {...(isGrouped && { groupOf: ({ type }: Model) => type })}
        />
        <Pager rows={Array.from({ length: 51 }, (_, index) => index)} idOf={String} />
      </Section>
      <Section name="Long text">
        <p>
          <LongText text={'A word that repeats. '.repeat(8)} />
        </p>
      </Section>
      <Section name="Figures">
        <div class="card stack">
          <Figures
            items={[
              ['first token', '0.3 s'],
              ['speed', '158 tok/s'],
              ['tokens', '1,204'],
            ]}
          />
          <Sparkline values={[0, 2, 8, 7, 9, 9, null, 8, 9]} label="158 tokens per second, at most 161" />
          <progress value={0.4} aria-label="40 percent" />
        </div>
      </Section>
    </>
  )
}
