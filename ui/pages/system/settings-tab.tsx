import { useState } from 'preact/hooks'
import type { OperationJson } from '../../../src/operations/money-text.ts'
import { useResult } from '../../api/operation.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Table } from '../../parts/table.tsx'
import { texts } from '../../texts/texts.ts'

type Setting = OperationJson<'settings-list'>['settings'][number]

/** Lists every setting with its value in force and source, changed ones first. */
export function SettingsTab() {
  const [search, setSearch] = useState('')
  const answer = useResult('settings-list', {})
  const words = texts.system
  return (
    <Loaded answer={answer} lines={8}>
      {({ file, settings, models }) => (
        <div class="stack">
          <p>{words.settingsText}</p>
          <p class="muted">
            {words.settingsFile}: {typeof file === 'string' ? <code>{file}</code> : words.noFile}
          </p>
          <div class="toolbar">
            <SearchField label={words.searchSettings} value="" onSearch={setSearch} />
          </div>
          <h2>{words.changed}</h2>
          <SettingTable
            caption={words.changed}
            rows={settings.filter((row) => !isDefault(row) && isFound(row, search))}
            empty={search === '' ? words.noneChanged : words.noSetting}
          />
          <h2>{words.asDefault}</h2>
          <SettingTable
            caption={words.asDefault}
            rows={settings.filter((row) => isDefault(row) && isFound(row, search))}
            empty={words.noSetting}
          />
          {models.length > 0 && (
            <>
              <h2>{words.models}</h2>
              <Table
                caption={words.models}
                rows={models}
                rowKey={({ model, table, name }) => `${model} ${table} ${name}`}
                columns={[
                  { title: words.model, cell: ({ model }) => model },
                  { title: words.table, cell: ({ table }) => table },
                  { title: words.setting, cell: ({ name }) => <b>{name}</b> },
                  { title: words.value, cell: ({ value }) => <code>{written(value)}</code> },
                ]}
              />
            </>
          )}
        </div>
      )}
    </Loaded>
  )
}

interface SettingTableProps {
  readonly caption: string
  readonly rows: readonly Setting[]
  /** Text of an empty list. */
  readonly empty: string
}

function SettingTable({ caption, rows, empty }: SettingTableProps) {
  const words = texts.system
  if (rows.length === 0) return <p class="muted">{empty}</p>
  return (
    <Table
      caption={caption}
      rows={rows}
      rowKey={({ name }) => name}
      columns={[
        { title: words.setting, cell: ({ key }) => <b>{key}</b> },
        {
          title: words.value,
          cell: ({ value }) => <code class="breaks">{value === null ? texts.shared.none : written(value)}</code>,
        },
        { title: words.source, cell: ({ source }) => <code class="breaks">{source}</code> },
        { title: words.standard, cell: ({ defaultText }) => defaultText },
        { title: words.meaning, cell: ({ help }) => help },
        {
          title: words.line,
          cell: ({ key, line }) => line !== null && <CopyButton text={line} what={words.copyLine(key)} />,
        },
      ]}
    />
  )
}

function isFound({ key, name, help }: Setting, search: string): boolean {
  return [key, name, help].some((text) => text.toLowerCase().includes(search.toLowerCase()))
}

function isDefault({ source }: Setting): boolean {
  return source === 'default'
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
