/**
 * One way to the data (src/platform/database/README.md): what may be asked of an entity manager of the ORM. The linter knows no types, so
 * a manager is known by its name, by what it was made from, or by the type that is written beside it.
 */

const message = 'One way to the data: src/platform/database/README.md.';

/** What everybody may ask for; what a few files may besides stands in `.oxlintrc.json`. */
const everywhere = ['create', 'remove', 'flush', 'fork', 'getKysely', 'stream'];

function nameOf(property, isComputed) {
  if (!isComputed) return property.name;
  return property.type === 'Literal' ? String(property.value) : null;
}

/** Parentheses have no node here; what TypeScript says of a value changes nothing of it. */
function bare(node) {
  let inner = node;
  while (['ChainExpression', 'TSNonNullExpression', 'TSAsExpression', 'TSSatisfiesExpression', 'AwaitExpression'].includes(inner.type))
    inner = inner.expression ?? inner.argument;
  return inner;
}

const oneWay = {
  meta: { type: 'problem', schema: [{ type: 'object', properties: { allow: { type: 'array', items: { type: 'string' } } } }] },
  create(context) {
    const { sourceCode } = context;
    const allowed = new Set([...everywhere, ...(context.options[0]?.allow ?? [])]);

    function isManager(expression) {
      const node = bare(expression);
      if (node.type === 'Identifier') return node.name === 'em' || isManagerVariable(node);
      if (node.type === 'MemberExpression') return nameOf(node.property, node.computed) === 'em';
      if (node.type !== 'CallExpression') return false;
      const callee = bare(node.callee);
      return callee.type === 'MemberExpression' && nameOf(callee.property, callee.computed) === 'fork' && isManager(callee.object);
    }

    function isManagerVariable(identifier) {
      let scope = sourceCode.getScope(identifier);
      while (scope && !scope.set.has(identifier.name)) scope = scope.upper;
      return scope?.set.get(identifier.name)?.defs.some(isManagerDefinition) ?? false;
    }

    function isManagerDefinition({ type, name, node }) {
      if (name.typeAnnotation && /\bEntityManager\b/.test(sourceCode.getText(name.typeAnnotation))) return true;
      if (type === 'Variable') return Boolean(node.init) && node.id === name && isManager(node.init);
      // Of `em.transactional((transaction) => …)`.
      const call = type === 'Parameter' && node.params[0] === name ? node.parent : null;
      return (
        call?.type === 'CallExpression' &&
        call.callee.type === 'MemberExpression' &&
        nameOf(call.callee.property, call.callee.computed) === 'transactional' &&
        isManager(call.callee.object)
      );
    }

    function check(node, name) {
      if (name === null || !allowed.has(name)) context.report({ node, message });
    }

    return {
      MemberExpression(node) {
        if (isManager(node.object)) check(node.property, nameOf(node.property, node.computed));
      },
      VariableDeclarator({ id, init }) {
        if (id.type !== 'ObjectPattern' || !init || !isManager(init)) return;
        for (const part of id.properties) check(part, part.type === 'Property' ? nameOf(part.key, part.computed) : null);
      },
    };
  },
};

export default { meta: { name: 'data' }, rules: { 'one-way': oneWay } };
