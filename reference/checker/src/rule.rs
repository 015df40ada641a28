//! The rules by their stable names.

/// Writes the enum, its list and its two texts from one table.
macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $section:literal;)+) => {
        /// A rule of the specification. Its name and its variant stay; a rule that the specification gains is added.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Rule { $($(#[doc = $doc])+ $variant,)+ }

        impl Rule {
            /// Every rule, in the order of their declaration.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),+];

            /// The name that scripts rely on: kebab-case.
            pub const fn name(self) -> &'static str {
                match self { $(Rule::$variant => $name),+ }
            }

            /// Where the specification says so: a document of ONNX with its section.
            pub const fn section(self) -> &'static str {
                match self { $(Rule::$variant => $section),+ }
            }
        }
    };
}

rules! {
    /// `ir_version` is one of the `onnx.Version` enumeration.
    IrVersion = "ir-version", "IR.md, ONNX Versioning";
    /// What a later version of the file format brought is used only from that version on.
    IrFeature = "ir-feature", "IR.md, Functions; onnx.proto, Version";
    /// Every domain that a node names is imported.
    ImportMissing = "import-missing", "IR.md, Operator Sets";
    /// A domain of ONNX is imported at an opset that exists.
    OpsetUnknown = "opset-unknown", "IR.md, Operator Set Identifiers";
    /// A domain is imported once.
    ImportTwice = "import-twice", "IR.md, Operator Set Identifiers";

    /// Functions have different (domain, name, overload).
    FunctionTwice = "function-twice", "IR.md, Functions";
    /// No function calls itself, directly or through others.
    FunctionRecursion = "function-recursion", "onnx.proto, ModelProto.functions";
    /// A function declares each of its attributes once.
    FunctionAttributeTwice = "function-attribute-twice", "IR.md, Functions";

    /// Every graph has a name.
    GraphName = "graph-name", "IR.md, Graphs";
    /// Inputs, outputs and initializers have names.
    ValueName = "value-name", "IR.md, Graphs";
    /// Inputs and outputs of the main graph declare their types.
    ValueTypeMissing = "value-type-missing", "IR.md, Graphs";
    /// Tensors among the inputs and outputs of the main graph declare their rank.
    ValueShapeMissing = "value-shape-missing", "IR.md, Graphs";
    /// A value is defined once in a graph.
    ValueTwice = "value-twice", "IR.md, Nodes (unique definition)";
    /// A node's output in a body is not named as a value that is visible there.
    ValueShadowed = "value-shadowed", "IR.md, Nodes (nested subgraph)";
    /// Whatever a node reads is a graph input, an initializer or a node's output.
    ValueUndefined = "value-undefined", "IR.md, Nodes (input)";
    /// A graph's output is defined in that very graph.
    OutputUndefined = "output-undefined", "IR.md, Nodes (definition and use)";
    /// Nodes stand in topological order.
    NodeOrder = "node-order", "IR.md, Nodes (topological order)";
    /// Nodes do not depend on themselves.
    Cycle = "cycle", "IR.md, Graphs (free of cycles)";
    /// Nodes of a graph that have names have different ones.
    NodeNameTwice = "node-name-twice", "IR.md, Names Within a Graph";

    /// Initializers of a graph have different names.
    InitializerTwice = "initializer-twice", "IR.md, Nodes (unique definition)";
    /// Before IR version 4 every initializer is an input too.
    InitializerNotInput = "initializer-not-input", "onnx.proto, GraphProto.initializer";
    /// From IR version 4 on an initializer of a body is none of its inputs.
    InitializerIsBodyInput = "initializer-is-body-input", "IR.md, Nodes (initializer and input)";
    /// An initializer has the type and shape of the input whose default it is.
    InitializerType = "initializer-type", "IR.md, Graphs (initializer)";

    /// The operator exists in its domain at the imported opset.
    OperatorUnknown = "operator-unknown", "IR.md, Operators";
    /// The operator was not withdrawn at the imported opset.
    OperatorDeprecated = "operator-deprecated", "Versioning.md, Operator sets (deprecated)";
    /// As many inputs as the signature allows.
    InputCount = "input-count", "IR.md, Nodes (signature)";
    /// As many outputs as the signature allows.
    OutputCount = "output-count", "IR.md, Nodes (signature)";
    /// Only an optional input or output is left out by an empty name.
    ParameterOmitted = "parameter-omitted", "IR.md, Optional Inputs and Outputs";
    /// The signature declares every attribute given.
    AttributeUnknown = "attribute-unknown", "IR.md, Nodes (signature)";
    /// Every required attribute is given.
    AttributeMissing = "attribute-missing", "IR.md, Nodes (signature)";
    /// An attribute has the kind that the signature declares.
    AttributeKind = "attribute-kind", "IR.md, Nodes (signature)";
    /// A node gives an attribute once.
    AttributeTwice = "attribute-twice", "IR.md, Attributes (name)";
    /// An attribute that names an element type names one that exists.
    AttributeElementType = "attribute-element-type", "Operators.md, the attribute of the operator";
    /// An attribute refers to another (`ref_attr_name`) only inside a function.
    ReferenceOutside = "reference-outside", "IR.md, Attributes (ref_attr_name)";
    /// An attribute refers to one that the function declares.
    ReferenceUndeclared = "reference-undeclared", "IR.md, Functions";
    /// A body takes and gives as many values as its operator passes.
    BodyArity = "body-arity", "Operators.md, the body of the operator";

    /// The type of an input or output is in the set of the version's signature.
    TypeNotAllowed = "type-not-allowed", "IR.md, Nodes (signature)";
    /// Inputs and outputs that share a type parameter have one type.
    TypeConflict = "type-conflict", "IR.md, Nodes (signature)";
    /// What the model declares for a value is what the value is.
    DeclaredType = "declared-type", "IR.md, Graphs (value_info)";
    /// The branches of an If give values of one type.
    BranchType = "branch-type", "Operators.md, If";

    /// A tensor's data fits its shape and element type.
    TensorData = "tensor-data", "onnx.proto, TensorProto";
    /// External data lies in the model's folder and is as long as it says.
    ExternalData = "external-data", "ExternalData.md";
    /// The indices of a sparse tensor are in range and ascending.
    SparseData = "sparse-data", "onnx.proto, SparseTensorProto";
    /// The messages say what their definition demands.
    Format = "format", "onnx.proto";

    /// Not of the specification: graphs and functions inside one another, beyond what is checked.
    TooDeep = "too-deep", "none: a limit of this checker";
}
