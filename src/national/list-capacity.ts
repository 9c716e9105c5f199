/** Records of a list, and of one operation on it (service.md "Limits"). */
export const mostInList = 200;
