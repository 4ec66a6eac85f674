/** Roles of accounts */
export const roles = { member: 'member', auditor: 'auditor', treasurer: 'treasurer', operator: 'operator' }
