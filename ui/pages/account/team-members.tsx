import { useState } from 'preact/hooks'
import { perform, useResult } from '../../api/operation.ts'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { Select } from '../../parts/select.tsx'
import { Table } from '../../parts/table.tsx'
import { texts } from '../../texts/operator-texts.ts'

/** Lists the members of a team, adds some and removes them. */
export function TeamMembers({ team }: { readonly team: string }) {
  const answer = useResult('teams-show', { team })
  const [isAdding, setIsAdding] = useState(false)
  const [role, setRole] = useState<'member' | 'manager'>('member')
  const words = texts.account
  const remove = async (account: string) => {
    await perform('teams-remove', { team, account })
    await answer.reload()
  }
  return (
    <div class="stack">
      <Loaded answer={answer}>
        {({ members }) =>
          members.length === 0 ? (
            <Empty text={words.noMembers} />
          ) : (
            <Table
              caption={words.members}
              rows={members}
              rowKey={({ accountId }) => accountId}
              columns={[
                { title: words.memberColumns.account, cell: nameOfMember },
                { title: words.memberColumns.role, cell: (row) => words.memberRoles[row.role] },
                {
                  title: words.memberColumns.actions,
                  cell: (row) => (
                    <May perform="teams-remove">
                      <button type="button" class="small danger" onClick={() => void remove(row.accountId)}>
                        {words.removeMember} <span class="unseen">{row.email ?? row.name}</span>
                      </button>
                    </May>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <May perform="teams-add">
        <div>
          <button type="button" onClick={() => setIsAdding(true)}>
            {words.addMember}
          </button>
        </div>
      </May>
      {isAdding && (
        <FormDialog
          title={words.addMember}
          button={words.addMember}
          onClose={() => setIsAdding(false)}
          onSend={async (field) => {
            await perform('teams-add', { team, account: field('account'), role })
            setIsAdding(false)
            await answer.reload()
          }}
        >
          <Field label={words.memberReference} name="account" maxLength={320} required />
          <Select label={words.memberRole} value={role} choices={words.memberRoles} onChange={setRole} />
        </FormDialog>
      )}
    </div>
  )
}

function nameOfMember({ accountId, email, name }: { accountId: string; email: string | null; name: string }) {
  return <a href={`/admin/accounts/${accountId}`}>{email ?? name}</a>
}
