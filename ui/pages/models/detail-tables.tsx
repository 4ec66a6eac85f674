/** Files and settings of a model. */
import type { OperationJson } from '../../../src/operations/money-text.ts'
import { bytesText } from '../../parts/bytes-text.ts'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/operator-texts.ts'

export type ModelShown = OperationJson<'models-show'>

export function FileTable({ files }: Pick<ModelShown, 'files'>) {
  if (files.length === 0) return null
  const { fileColumns: titles, notHere } = texts.model
  return (
    <section>
      <h2>{texts.model.files}</h2>
      <Table
        caption={texts.model.files}
        columns={[
          { title: titles.role, cell: ({ role }) => role },
          { title: titles.name, cell: ({ name }) => <code>{name}</code> },
          {
            ...{ title: titles.size, isNumber: true },
            cell: ({ bytes, expectedBytes }) =>
              bytes > 0 || expectedBytes === null ? bytesText(bytes) : notHere(bytesText(expectedBytes)),
          },
          { title: titles.sha256, cell: ({ sha256 }) => (sha256 === null ? '' : <Digest sha256={sha256} />) },
          {
            title: titles.verified,
            cell: ({ verifiedMs }) => (verifiedMs === null ? '' : <Time at={verifiedMs} />),
          },
        ]}
        rows={files}
        rowKey={({ role, name }) => `${role} ${name}`}
      />
    </section>
  )
}

/** Shows the beginning of a checksum, with the whole in the title. */
function Digest({ sha256 }: { readonly sha256: string }) {
  return <code title={sha256}>{sha256.slice(0, 16)}…</code>
}

export function SettingTable({ id, settings }: Pick<ModelShown, 'id' | 'settings'>) {
  if (settings.length === 0) return null
  const { settingColumns: titles } = texts.model
  return (
    <section>
      <h2>{texts.model.settings}</h2>
      <p>
        <a href={`/admin/system?tab=settings&model=${encodeURIComponent(id)}`}>{texts.model.changeSettings}</a>
      </p>
      <Table
        caption={texts.model.settings}
        columns={[
          { title: titles.name, cell: ({ name }) => <code class="whole">{name}</code> },
          {
            title: titles.value,
            cell: ({ value }) =>
              value === null ? <span class="muted">{texts.model.unset}</span> : <b>{String(value)}</b>,
          },
          { title: titles.source, cell: ({ source }) => source },
          { title: titles.help, cell: ({ help }) => <span class="muted">{help}</span> },
        ]}
        rows={settings}
        rowKey={({ name }) => name}
      />
    </section>
  )
}
