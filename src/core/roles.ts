/** Roles of accounts, with the most rights last. `member`: only the account itself. All others are staff. */
export const roles = ['member', 'auditor', 'treasurer', 'operator'] as const
export type Role = (typeof roles)[number]

/** Roles that open the operators' pages. */
export type StaffRole = Exclude<Role, 'member'>

/** Origin of a role: an operator, or groups of an identity provider. */
export type RoleSource = 'hand' | 'groups'

export function isStaff(role: Role): role is StaffRole {
  return role !== 'member'
}

export const staffRoles: readonly StaffRole[] = roles.filter(isStaff)

/** Roles that read everything on the operators' pages */
export const auditors = ['operator', 'auditor'] as const satisfies readonly StaffRole[]
/** Roles that read accounts and the books */
export const bookReaders = ['operator', 'auditor', 'treasurer'] as const satisfies readonly StaffRole[]
/** Roles that move money */
export const bookKeepers = ['operator', 'treasurer'] as const satisfies readonly StaffRole[]
