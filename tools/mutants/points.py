"""Where the sources can be changed: the mutation points of a file, found by libclang
(pip install libclang).

No points: what an error says, what is constant in compilation, and what only makes room
(`reserve`), since it cannot matter."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

SWAPS = {
    "boundary": {"<": "<=", "<=": "<", ">": ">=", ">=": ">"},
    "equality": {"==": "!=", "!=": "=="},
    "arithmetic": {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"},
    "assigned": {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|="},
    "logic": {"&&": "||", "||": "&&"},
    "bits": {"&": "|", "|": "&", "<<": ">>", ">>": "<<", "^": "|"},
}
HEX, DECIMAL = rb"0[xX][0-9a-fA-F.']+(?:[pP][+-]?\d+)?", rb"\d[\d.']*(?:[eE][+-]?\d+)?"
LITERAL = re.compile(rb"(%b|%b)([a-zA-Z]*)$" % (HEX, DECIMAL))


class Finder:
    """The mutation points of one file: dicts with start and end, bytes of what is replaced."""

    def __init__(self, name, index, flags):
        from clang.cindex import CursorKind
        self.kinds = CursorKind
        self.name = name
        self.path = str(ROOT / name)
        self.text = pathlib.Path(self.path).read_bytes()
        self.unit = index.parse(self.path, args=flags)
        errors = [d for d in self.unit.diagnostics if d.severity >= 3]
        if errors:
            raise SystemExit(f"{name}: does not parse: {errors[0]}")
        self.points = []
        self.function = ""

    def find(self):
        self.declarations(self.unit.cursor)
        return self.points

    def here(self, cursor):
        file = cursor.location.file
        return file is not None and file.name == self.path

    def declarations(self, cursor):
        functions = (self.kinds.FUNCTION_DECL, self.kinds.CXX_METHOD, self.kinds.CONSTRUCTOR,
                     self.kinds.FUNCTION_TEMPLATE, self.kinds.CONVERSION_FUNCTION)
        for child in cursor.get_children():
            if not self.here(child):
                continue
            if child.kind in functions:
                self.function = child.spelling
                for part in child.get_children():
                    if part.kind == self.kinds.COMPOUND_STMT:
                        head = self.text[child.extent.start.offset:part.extent.start.offset]
                        if not re.search(rb"\bconst(expr|eval)\b", head):
                            self.statements(part)
            elif child.kind not in (self.kinds.VAR_DECL, self.kinds.ENUM_DECL):
                self.declarations(child)

    def span(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def add(self, kind, start, end, new, line, deletes=False):
        self.points.append({
            "file": self.name, "function": self.function, "line": line, "kind": kind,
            "start": start, "end": end, "old": self.text[start:end].decode(), "new": new,
            "deletes": deletes})

    def only_makes_room(self, cursor):
        return cursor.kind == self.kinds.CALL_EXPR and cursor.spelling == "reserve"

    def statements(self, cursor):
        kind, kinds = cursor.kind, self.kinds
        if kind == kinds.CXX_THROW_EXPR or kind == kinds.STRING_LITERAL:
            return  # what an error says
        if self.only_makes_room(cursor):
            return
        if kind == kinds.DECL_STMT and self.text[cursor.extent.start.offset:].startswith(
                (b"constexpr", b"static constexpr", b"static_assert", b"using")):
            return
        children = list(cursor.get_children())
        if kind == kinds.COMPOUND_STMT:
            for child in children:
                self.deletion(child)
        elif kind in (kinds.IF_STMT, kinds.FOR_STMT, kinds.WHILE_STMT, kinds.CXX_FOR_RANGE_STMT):
            self.condition(cursor, children)
            self.deletion(children[-1])
        elif kind in (kinds.BINARY_OPERATOR, kinds.COMPOUND_ASSIGNMENT_OPERATOR):
            self.operator(cursor, children)
        elif kind in (kinds.INTEGER_LITERAL, kinds.FLOATING_LITERAL):
            self.constant(cursor)
        elif kind == kinds.CALL_EXPR:
            self.least_or_most(cursor)
            if cursor.spelling == "operator[]":
                self.index(children[-1])
        elif kind == kinds.ARRAY_SUBSCRIPT_EXPR and len(children) == 2:
            self.index(children[1])
        for child in children:
            self.statements(child)

    def operator(self, cursor, children):
        if len(children) != 2:
            return
        (start, left), (right, end) = map(self.span, children)
        between = self.text[left:right].decode()
        for kind, swaps in SWAPS.items():
            if between.strip() in swaps:
                old = between.strip()
                new = (self.text[start:left].decode() + between.replace(old, swaps[old]) +
                       self.text[right:end].decode())
                self.add(kind, start, end, new, cursor.location.line)

    def constant(self, cursor):
        start, _ = self.span(cursor)
        match = re.match(rb"[0-9a-zA-Z.']+(?:(?<=[pPeE])[+-]\d+\w*)?", self.text[start:])
        literal = LITERAL.match(match[0]) if match else None
        if not literal:
            return
        old, digits, suffix = match[0].decode(), literal[1].decode(), literal[2].decode()
        end = start + len(old)
        if cursor.kind == self.kinds.FLOATING_LITERAL:
            news = [f"({old} * 1.25{'f' if 'f' in suffix.lower() else ''})"]
            if digits.strip("0.") == "":
                news = ["1" + old[1:]]
        else:
            news = [f"({old} + 1)"] + ([f"({old} - 1)"] if digits != "0" else [])
        for new in news:
            self.add("constant", start, end, new, cursor.location.line)

    def least_or_most(self, cursor):
        start, end = self.span(cursor)
        text = self.text[start:end].decode()
        for old, new in (("std::min", "std::max"), ("std::max", "std::min")):
            if re.match(old + r"\b(?!_)", text):
                self.add("least-most", start, end, new + text[len(old):], cursor.location.line)

    def index(self, cursor):
        start, end = self.span(cursor)
        new = f"({self.text[start:end].decode()}) + 1"
        self.add("index", start, end, new, cursor.location.line)

    def condition(self, cursor, children):
        # The text in the brackets up to the body; of a loop between its semicolons.
        start = cursor.extent.start.offset
        for child in children:
            if child.type.spelling == "bool" and child.kind.is_expression():
                first, last = self.span(child)
                if self.text[start:first].count(b"{") == 0:
                    self.add("negation", first, last, f"!({self.text[first:last].decode()})",
                             child.location.line)
                return

    def deletion(self, cursor):
        kinds = self.kinds
        if self.only_makes_room(cursor):
            return
        start, end = self.span(cursor)
        text = self.text[start:end]
        deletable = cursor.kind in (kinds.CONTINUE_STMT, kinds.BREAK_STMT, kinds.CALL_EXPR,
                                    kinds.UNARY_OPERATOR, kinds.COMPOUND_ASSIGNMENT_OPERATOR)
        if cursor.kind == kinds.BINARY_OPERATOR:
            deletable = b"=" in text
        if cursor.kind == kinds.IF_STMT and b"\n" not in text and b"else" not in text:
            deletable = True
            end -= text.endswith(b";")
        if deletable and self.text[end:end + 1] == b";":
            self.add("deletion", start, end + 1, "", cursor.location.line, deletes=True)


def find_all(names, flags):
    from clang.cindex import Index
    index = Index.create()
    points = []
    for name in names:
        seen = {}
        for point in Finder(name, index, flags).find():
            key = tuple(point[k] for k in ("function", "kind", "old", "new", "start"))
            if key in seen:
                continue  # a template and its instance
            same = tuple(point[k] for k in ("function", "kind", "old", "new"))
            point["nth"] = sum(other[:4] == same for other in seen)
            seen[key] = point
        points += seen.values()
    return points
