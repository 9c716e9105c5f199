/**
 * Modules of workflows are loaded once for all processes of a worker (`worker/bundle.ts`), so what one of them kept there another would see.
 * A process keeps its state in its own function or class.
 */

const message = 'All processes of a worker share this module: state belongs into the process.';

/** What can hold state however it is used; what is only exported as data is frozen when it is loaded. */
function holdsState(init) {
  if (init.type === 'NewExpression') return true;
  if (init.type === 'ArrayExpression') return init.elements.length === 0;
  return init.type === 'ObjectExpression' && init.properties.length === 0;
}

const statelessModule = {
  meta: { type: 'problem' },
  create(context) {
    return {
      Program({ body }) {
        for (const statement of body) {
          const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
          if (declaration?.type !== 'VariableDeclaration') continue;
          for (const { id, init } of declaration.declarations)
            if (declaration.kind !== 'const' || (init && holdsState(init))) context.report({ node: id, message });
        }
      },
      PropertyDefinition(node) {
        if (node.static) context.report({ node, message });
      },
    };
  },
};

export default { meta: { name: 'workflows' }, rules: { 'stateless-module': statelessModule } };
