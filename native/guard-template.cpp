#include "guard-template.h"

#include "render-limits.h"

namespace {

using namespace jinja;

// Longest range() that a template may make.
constexpr int64_t RANGE_LIMIT = 100'000;
// Bytes that each piece of a repeated text takes besides its characters.
constexpr size_t PIECE_BYTES = 48;

void guard(statement_ptr & node);

void checkSize(const value & made) {
    if (is_val<value_string>(made)) RenderScope::checkText(made->val_str.length());
    else if (is_val<value_array>(made)) RenderScope::checkText(made->val_arr.size() * sizeof(value));
}

// Statement that checks the limits before others that may repeat.
struct CheckStatement : statement {
    std::string type() const override { return "Check"; }
    value execute_impl(context &) const override {
        RenderScope::check();
        return mk_val<value_undefined>();
    }
};

// Executes an expression and checks the size of its value. Errors name the inner expression.
struct CheckedExpression : expression {
    explicit CheckedExpression(statement_ptr && inner) : inner(std::move(inner)) { pos = this->inner->pos; }

    std::string type() const override { return inner->type(); }
    value execute_impl(context & ctx) const override {
        const value made = make(ctx);
        checkSize(made);
        return made;
    }
    virtual value make(context & ctx) const { return inner->execute(ctx); }

    statement_ptr inner;
};

// Expression with a known value.
struct Known : expression {
    explicit Known(value known) : known(std::move(known)) { pos = 0; }

    std::string type() const override { return "Known"; }
    value execute_impl(context &) const override { return known; }

    value known;
};

// Refuses `text * count` before the text is made.
struct CheckedProduct : CheckedExpression {
    using CheckedExpression::CheckedExpression;

    value make(context & ctx) const override {
        const auto & product = static_cast<const binary_expression &>(*inner);
        const value left = product.left->execute(ctx);
        const value right = product.right->execute(ctx);
        checkProduct(left, right);
        checkProduct(right, left);
        binary_expression known(product.op, std::make_unique<Known>(left), std::make_unique<Known>(right));
        known.pos = pos;
        return known.execute(ctx);
    }

    static void checkProduct(const value & text, const value & count) {
        if (!is_val<value_string>(text) || !is_val<value_int>(count) || count->val_int <= 0) return;
        const size_t piece = text->val_str.length() + PIECE_BYTES * text->val_str.parts.size();
        size_t bytes;
        if (__builtin_mul_overflow(piece, static_cast<size_t>(count->val_int), &bytes)) bytes = SIZE_MAX;
        RenderScope::checkText(bytes);
    }
};

// Refuses `range(count)` before the list is made.
struct CheckedCall : CheckedExpression {
    using CheckedExpression::CheckedExpression;

    value make(context & ctx) const override {
        RenderScope::check();
        const auto & call = static_cast<const call_expression &>(*inner);
        statements arguments;
        std::vector<value> values;
        for (const auto & argument : call.args) {
            values.push_back(argument->execute(ctx));
            arguments.push_back(std::make_unique<Known>(values.back()));
        }
        const value callee = call.callee->execute(ctx);
        const auto * function = cast_val<value_func>(callee);
        if (function != nullptr && function->name == "range") checkRange(values);
        call_expression known(std::make_unique<Known>(callee), std::move(arguments));
        known.pos = pos;
        return known.execute(ctx);
    }

    static void checkRange(const std::vector<value> & values) {
        std::vector<double> numbers;
        for (const auto & number : values) {
            if (!is_val<value_int>(number)) return; // refused by range() itself
            numbers.push_back(static_cast<double>(number->val_int));
        }
        if (numbers.empty() || numbers.size() > 3) return;
        const double start = numbers.size() == 1 ? 0 : numbers[0];
        const double stop = numbers.size() == 1 ? numbers[0] : numbers[1];
        const double step = numbers.size() == 3 ? numbers[2] : 1;
        if (step != 0 && (stop - start) / step > RANGE_LIMIT) throw RenderStopped{RenderStopped::SIZE};
    }
};

template <typename Node> Node * as(const statement_ptr & node) { return dynamic_cast<Node *>(node.get()); }

// Guards an argument. Leaves `name=` unchanged.
void guardArgument(statement_ptr & argument) {
    if (auto * named = as<keyword_argument_expression>(argument)) guard(named->val);
    else if (as<spread_expression>(argument) == nullptr) guard(argument);
}

void guardArguments(statements & arguments) {
    for (auto & argument : arguments) guardArgument(argument);
}

// Guards only the arguments of a filter or test, whose name the engine must see unchanged.
void guardName(statement_ptr & name) {
    if (auto * call = as<call_expression>(name)) guardArguments(call->args);
}

// Guards the defaults of a macro's parameters. The parameters themselves are names.
void guardDefaults(statements & parameters) {
    for (auto & parameter : parameters) {
        if (auto * named = as<keyword_argument_expression>(parameter)) guard(named->val);
    }
}

void guardAll(statements & nodes) {
    for (auto & node : nodes) guard(node);
}

void guardRepeated(statements & body) {
    guardAll(body);
    auto check = std::make_unique<CheckStatement>();
    check->pos = body.empty() ? 0 : body.front()->pos;
    body.insert(body.begin(), std::move(check));
}

void guardChildren(statement_ptr & node) {
    if (auto * branch = as<if_statement>(node)) {
        guard(branch->test);
        guardAll(branch->body);
        guardAll(branch->alternate);
    } else if (auto * loop = as<for_statement>(node)) {
        guard(loop->iterable);
        guardRepeated(loop->body);
        guardAll(loop->default_block);
    } else if (auto * set = as<set_statement>(node)) {
        guard(set->val);
        guardAll(set->body);
    } else if (auto * macro = as<macro_statement>(node)) {
        guardDefaults(macro->args);
        guardRepeated(macro->body);
    } else if (auto * filtered = as<filter_statement>(node)) {
        guardName(filtered->filter);
        guardAll(filtered->body);
    } else if (auto * block = as<call_statement>(node)) {
        if (auto * call = as<call_expression>(block->call)) {
            guard(call->callee);
            guardArguments(call->args);
        }
        guardDefaults(block->caller_args);
        guardRepeated(block->body);
    } else if (auto * member = as<member_expression>(node)) {
        guard(member->object);
        if (member->computed) guard(member->property);
    } else if (auto * slice = as<slice_expression>(node)) {
        guard(slice->start_expr);
        guard(slice->stop_expr);
        guard(slice->step_expr);
    } else if (auto * call = as<call_expression>(node)) {
        guard(call->callee);
        guardArguments(call->args);
    } else if (auto * array = as<array_literal>(node)) {
        guardAll(array->val);
    } else if (auto * tuple = as<tuple_literal>(node)) {
        guardAll(tuple->val);
    } else if (auto * object = as<object_literal>(node)) {
        for (auto & [key, val] : object->val) {
            guard(key);
            guard(val);
        }
    } else if (auto * binary = as<binary_expression>(node)) {
        guard(binary->left);
        guard(binary->right);
    } else if (auto * filtered = as<filter_expression>(node)) {
        guard(filtered->operand);
        guardName(filtered->filter);
    } else if (auto * test = as<test_expression>(node)) {
        guard(test->operand);
        guardName(test->test);
    } else if (auto * unary = as<unary_expression>(node)) {
        guard(unary->argument);
    } else if (auto * ternary = as<ternary_expression>(node)) {
        guard(ternary->condition);
        guard(ternary->true_expr);
        guard(ternary->false_expr);
    } else if (auto * selection = as<select_expression>(node)) {
        guard(selection->lhs);
        guard(selection->test);
    }
}

void guard(statement_ptr & node) {
    if (node == nullptr) return;
    guardChildren(node);
    // Leaves expressions that the engine looks for by their type.
    if (as<select_expression>(node) || as<slice_expression>(node)) return;
    if (const auto * binary = as<binary_expression>(node); binary != nullptr && binary->op.value == "*") {
        node = std::make_unique<CheckedProduct>(std::move(node));
    } else if (as<call_expression>(node)) {
        node = std::make_unique<CheckedCall>(std::move(node));
    } else if (as<expression>(node)) {
        node = std::make_unique<CheckedExpression>(std::move(node));
    }
}

} // namespace

void guardTemplate(program & program) {
    guardAll(program.body);
}
