/** Titles of the operators' pages, which the rail shows before any of them is loaded. */
export const operatorTitles = {
  accounts: 'Accounts',
  account: 'Account',
  models: 'Models',
  model: 'Model',
  overview: 'Overview',
  mail: 'Mail',
  money: 'Money',
  requests: 'Requests',
  setup: 'Set up inferd',
  system: 'System',
}
