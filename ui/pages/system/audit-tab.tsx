import { useResult } from '../../api/operation.ts'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { AuditTable } from '../../parts/operator/audit-table.tsx'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { ShowAll } from '../../parts/show-all.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/system-texts.ts'

/** Lists all changes of the audit log. */
export function AuditTab() {
  const { query } = place.value
  const actor = query.get('actor') ?? undefined
  const action = query.get('action') ?? undefined
  const isFiltered = actor !== undefined || action !== undefined
  const answer = useResult('audit-list', { actor, action, ...pageQuery() })
  const words = texts.system
  return (
    <>
      <div class="toolbar">
        <SearchField
          label={words.filterActor}
          value={actor ?? ''}
          onSearch={(text) => setQuery({ actor: text, before: undefined })}
        />
        <SearchField
          label={words.filterAction}
          value={action ?? ''}
          onSearch={(text) => setQuery({ action: text, before: undefined })}
        />
      </div>
      <Loaded answer={answer} lines={8}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty text={isFiltered ? words.nothingFound : texts.audit.empty}>
              {isFiltered && <ShowAll filters={['actor', 'action']} />}
            </Empty>
          ) : (
            <>
              <AuditTable rows={shownRows(rows)} />
              <Pager rows={rows} idOf={({ id }) => String(id)} />
            </>
          )
        }
      </Loaded>
    </>
  )
}
