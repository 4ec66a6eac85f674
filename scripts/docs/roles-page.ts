import { staffRoles } from '../../src/core/roles.ts'
import { isFor, isForRole, isOperation, operations } from '../../src/operations/operations.ts'
import { code, markdownTable } from './markdown.ts'

/** Returns docs/reference/roles.md: who may perform each operation, from the table of src/operations/operations.ts. */
export function rolesPage(): string {
  const rows = Object.entries(operations).flatMap(([name, { kind }]) =>
    isOperation(name)
      ? [
          [
            code(name),
            kind,
            mark(isFor('anybody', name)),
            mark(isFor('account', name)),
            ...staffRoles.map((role) => mark(isForRole(role, name))),
          ],
        ]
      : [],
  )
  return `# Who may perform each operation

Every page and command performs one of these. \`read\` changes nothing. Anybody: without a sign-in, as for signing in itself. Own account:
every account, for itself alone. The command line may do what operators can.

${markdownTable(['Operation', 'Kind', 'Anybody', 'Own account', ...staffRoles], rows)}
`
}

function mark(isAllowed: boolean): string {
  return isAllowed ? 'yes' : ''
}
