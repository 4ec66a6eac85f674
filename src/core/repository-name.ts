/** Pattern of a hub's repository, `org/repository`, without anchors. */
export const repositoryPattern = '[A-Za-z0-9][\\w.-]{0,95}/[A-Za-z0-9][\\w.-]{0,95}'
