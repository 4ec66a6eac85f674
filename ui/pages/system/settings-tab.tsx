import { useState } from 'preact/hooks'
import { useResult } from '../../api/operation.ts'
import { announce } from '../../parts/announce.tsx'
import { Chips } from '../../parts/chips.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Table } from '../../parts/table.tsx'
import { useMedia } from '../../parts/use-media.ts'
import { texts } from '../../texts/system-texts.ts'
import { ModelSettingsSection } from './model-settings-section.tsx'
import { RestartNote } from './restart-note.tsx'
import { SettingDialog } from './setting-dialog.tsx'
import { type Setting, settingText, togetherWith } from './setting-values.ts'

type Shown = keyof typeof texts.system.shownSettings

/** Lists every setting by group with its value in force and source, and changes it in the settings file. */
export function SettingsTab() {
  const [search, setSearch] = useState('')
  const [shown, setShown] = useState<Shown>('all')
  const [changing, setChanging] = useState<Setting>()
  const answer = useResult('settings-list', {})
  // On a phone the whole list has the length of thirty screens.
  const isPhone = useMedia('(width < 768px)')
  const words = texts.system
  return (
    <Loaded answer={answer} lines={8}>
      {({ path, version, problem, settings, canRestart }) => {
        const found = settings.filter((row) => isShown(row, shown) && isFound(row, search))
        const groups = (Object.keys(words.groups) as Setting['group'][]).filter((group) =>
          found.some((row) => row.group === group),
        )
        return (
          <div class="stack">
            <p>{words.settingsText(path)}</p>
            {problem !== null && <p class="bad">{words.nextStartFails(problem)}</p>}
            <Waiting settings={settings} canRestart={canRestart && problem === null} />
            <div class="toolbar">
              <SearchField label={words.searchSettings} value="" onSearch={setSearch} />
              <Chips label={words.shownLabel} value={shown} choices={words.shownSettings} onChange={setShown} />
            </div>
            {found.length === 0 && <p class="muted">{words.noSetting}</p>}
            {groups.map((group) => (
              <details key={group} open={!isPhone || found.length < settings.length}>
                <summary>
                  <h2>{words.groups[group]}</h2>
                </summary>
                <SettingTable
                  caption={words.groups[group]}
                  rows={found.filter((row) => row.group === group)}
                  onChange={setChanging}
                />
              </details>
            ))}
            <ModelSettingsSection />
            {changing !== undefined && (
              <SettingDialog
                rows={togetherWith(changing, settings)}
                version={version}
                onClose={() => setChanging(undefined)}
                onChanged={async (text) => {
                  setChanging(undefined)
                  announce(text)
                  await answer.reload()
                }}
              />
            )}
          </div>
        )
      }}
    </Loaded>
  )
}

/** Tells which changes wait for the next start. */
function Waiting({ settings, canRestart }: { readonly settings: readonly Setting[]; readonly canRestart: boolean }) {
  const keys = settings.filter(({ needsRestart }) => needsRestart).map(({ key }) => key)
  if (keys.length === 0) return null
  return (
    <>
      <p class="warn">{texts.system.waitsForStart(keys)}</p>
      <RestartNote canRestart={canRestart} />
    </>
  )
}

interface SettingTableProps {
  readonly caption: string
  readonly rows: readonly Setting[]
  readonly onChange: (setting: Setting) => void
}

function SettingTable({ caption, rows, onChange }: SettingTableProps) {
  const words = texts.system
  return (
    <Table
      caption={caption}
      rows={rows}
      rowKey={({ name }) => name}
      columns={[
        { title: words.setting, cell: ({ key }) => <b>{key}</b> },
        { title: words.value, cell: (row) => <Value setting={row} /> },
        { title: words.source, cell: ({ source }) => <code class="breaks">{source}</code> },
        { title: words.standard, cell: ({ defaultText }) => defaultText },
        { title: words.meaning, cell: ({ help }) => help },
        {
          title: words.action,
          cell: (row) =>
            row.isByHand ? (
              <span class="muted">{words.onlyByHand}</span>
            ) : (
              <May perform="settings-set">
                <button
                  type="button"
                  class="small"
                  aria-label={words.changeSetting(row.key)}
                  onClick={() => onChange(row)}
                >
                  {words.change}
                </button>
              </May>
            ),
        },
      ]}
    />
  )
}

function Value({ setting }: { readonly setting: Setting }) {
  const { value, next, needsRestart } = setting
  return (
    <>
      <code class="breaks">{settingText(value) || texts.shared.none}</code>
      {needsRestart && <span class="warn"> {texts.system.atNextStart(settingText(next) || texts.shared.none)}</span>}
    </>
  )
}

function isFound({ key, name, help }: Setting, search: string): boolean {
  return [key, name, help].some((text) => text.toLowerCase().includes(search.toLowerCase()))
}

function isShown({ source, needsRestart }: Setting, shown: Shown): boolean {
  return shown === 'all' || source !== 'default' || needsRestart
}
