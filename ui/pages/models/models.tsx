/** Models: those in memory, those to take on this machine, and the catalog. */
import { useState } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { later } from '../../parts/later.tsx'
import { LiveNote } from '../../parts/live-note.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { Page } from '../../parts/page.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { Catalog } from './catalog.tsx'
import { InMemory } from './in-memory.tsx'
import { Recommended } from './recommended.tsx'
import { useModelActions } from './use-model-actions.tsx'
import { useModels } from './use-models.ts'

const GetDialog = later(() => import('./get/get-dialog.tsx').then((loaded) => loaded.GetDialog))

export default function Models() {
  const { answer, live, seen, engines, withLive, reload } = useModels()
  const { actionsOf, dialog } = useModelActions(reload)
  const [isGetting, setIsGetting] = useState(false)
  const getButton = (
    <May perform="models-pull">
      <button type="button" class="primary" onClick={() => setIsGetting(true)}>
        <Icon name="download" /> {texts.models.get}
      </button>
    </May>
  )
  return (
    <Page title={texts.models.title} intro={texts.models.intro} action={getButton}>
      <Loaded answer={answer} lines={6}>
        {({ models: rows, problems }) => {
          const models = rows.map(withLive)
          return (
            <div class="sections">
              <InMemory {...{ seen, models, engines, actionsOf }} />
              <Recommended models={models} actionsOf={actionsOf} />
              <Catalog models={models} actionsOf={actionsOf} />
              {problems.length > 0 && (
                <details>
                  <summary class="warn">{texts.models.problems}</summary>
                  <ul class="plain-list">
                    {problems.map((problem) => (
                      <li key={problem.file}>
                        <code>{problem.file}</code>: {problem.reason}
                      </li>
                    ))}
                  </ul>
                </details>
              )}
              <LiveNote live={live} />
            </div>
          )
        }}
      </Loaded>
      {isGetting && <GetDialog onClose={() => setIsGetting(false)} onChanged={reload} />}
      {dialog}
    </Page>
  )
}
