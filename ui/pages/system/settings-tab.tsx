import type { OperationJson } from '../../../src/operations/money-text.ts'
import { useResult } from '../../api/operation.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Table } from '../../parts/table.tsx'
import { texts } from '../../texts/texts.ts'

type Setting = OperationJson<'settings-list'>['settings'][number]

/** Every setting with its value in force and where that was said, those that somebody set first. */
export function SettingsTab() {
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
          <Table
            caption={words.settings}
            rows={settings.toSorted((a, b) => Number(isDefault(a)) - Number(isDefault(b)))}
            rowKey={({ name }) => name}
            columns={[
              { title: words.setting, cell: ({ key }) => <b>{key}</b> },
              { title: words.value, cell: (row) => <Value setting={row} /> },
              { title: words.source, cell: ({ source }) => <code class="id">{source}</code> },
              { title: words.standard, cell: ({ defaultText }) => defaultText },
              { title: words.meaning, cell: ({ help }) => help },
            ]}
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

function Value({ setting: { key, value, line } }: { readonly setting: Setting }) {
  return (
    <span class="row">
      <code class="id">{value === null ? texts.shared.none : written(value)}</code>
      {line !== null && <CopyButton text={line} what={texts.system.copyLine(key)} />}
    </span>
  )
}

function isDefault({ source }: Setting): boolean {
  return source === 'default'
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
