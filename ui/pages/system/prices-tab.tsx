import { useState } from 'preact/hooks'
import { useResult } from '../../api/operation.ts'
import { announce } from '../../parts/announce.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { texts } from '../../texts/system-texts.ts'
import { PriceDialog } from './price-dialog.tsx'
import type { Priced } from './price-names.ts'
import { PriceTable } from './price-table.tsx'

/** Models whose prices have the same unit, in display order. */
const groups = [
  { group: 'chats', types: ['chat', 'vision'], names: ['input', 'cached_input', 'output'] },
  { group: 'texts', types: ['embedding', 'rerank', 'moderation'], names: ['price'] },
  { group: 'speech', types: ['tts'], names: ['price'] },
  { group: 'recordings', types: ['stt'], names: ['price'] },
  { group: 'pictures', types: ['image'], names: ['price'] },
] as const

/** Lists the prices of all models with what a typical request costs, and changes them in the settings file. */
export function PricesTab() {
  const [changing, setChanging] = useState<Priced>()
  const answer = useResult('prices-list', {})
  const words = texts.system
  return (
    <Loaded answer={answer} lines={8}>
      {({ version, models }) => (
        <div class="stack">
          <p>{words.pricesText}</p>
          {models.some(({ needsRestart }) => needsRestart) && <p class="warn">{words.pricesWait}</p>}
          {groups
            .map(({ group, types, names }) => ({
              group,
              names,
              rows: models.filter(({ type }) => types.some((each) => each === type)),
            }))
            .filter(({ rows }) => rows.length > 0)
            .map(({ group, names, rows }) => (
              <section key={group} class="stack">
                <h2>{words.priceGroups[group]}</h2>
                <p class="muted">{words.typicalText[group]}</p>
                <PriceTable
                  caption={words.priceGroups[group]}
                  rows={rows}
                  names={names}
                  thousand={group === 'chats' || group === 'recordings' ? words.thousand[group] : undefined}
                  onChange={setChanging}
                />
              </section>
            ))}
          {changing !== undefined && (
            <PriceDialog
              row={changing}
              version={version}
              onClose={() => setChanging(undefined)}
              onChanged={async () => {
                setChanging(undefined)
                announce(words.pricesWritten(changing.model))
                await answer.reload()
              }}
            />
          )}
        </div>
      )}
    </Loaded>
  )
}
