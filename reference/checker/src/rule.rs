//! The rules with their stable names.

/// Defines the enum, the list of its variants, names and sections from one table.
macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $section:literal;)+) => {
        /// A rule of the specification. Names and variants are stable; new rules are added.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Rule { $($(#[doc = $doc])+ $variant,)+ }

        impl Rule {
            /// Every rule, in the order of their declaration.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),+];

            /// The stable name in kebab-case, for scripts.
            pub const fn name(self) -> &'static str {
                match self { $(Rule::$variant => $name),+ }
            }

            /// The section of the specification: a document of ONNX with its section.
            pub const fn section(self) -> &'static str {
                match self { $(Rule::$variant => $section),+ }
            }
        }
    };
}

rules! {
    /// `ir_version` is a value of the `onnx.Version` enumeration.
    IrVersion = "ir-version", "IR.md, ONNX Versioning";
    /// A feature of a later version of the file format is used only since that version.
    IrFeature = "ir-feature", "IR.md, Functions; onnx.proto, Version";
    /// Every domain of a node is imported.
    ImportMissing = "import-missing", "IR.md, Operator Sets";
    /// The imported opset of a domain of ONNX exists.
    OpsetUnknown = "opset-unknown", "IR.md, Operator Set Identifiers";
    /// A domain is imported once.
    ImportTwice = "import-twice", "IR.md, Operator Set Identifiers";

    /// Every function has a name.
    FunctionName = "function-name", "onnx.proto, FunctionProto.name";
    /// Every operator in a function has the version that the imports of the model give it too.
    FunctionImport = "function-import", "onnx.proto, FunctionProto.opset_import";
    /// Functions have different (domain, name, overload).
    FunctionTwice = "function-twice", "IR.md, Functions";
    /// No function calls itself, directly or through others.
    FunctionRecursion = "function-recursion", "onnx.proto, ModelProto.functions";
    /// A function declares each of its attributes once.
    FunctionAttributeTwice = "function-attribute-twice", "IR.md, Functions";
    /// A function lists each of its outputs once.
    FunctionOutputTwice = "function-output-twice", "onnx/checker.cc, check_model_local_functions";

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
    /// An output of a node in a body does not have the name of a value that is visible there.
    ValueShadowed = "value-shadowed", "IR.md, Nodes (nested subgraph)";
    /// Every name that a node reads is a graph input, an initializer or an output of a node.
    ValueUndefined = "value-undefined", "IR.md, Nodes (input)";
    /// An output of a graph is defined in that graph.
    OutputUndefined = "output-undefined", "IR.md, Nodes (definition and use)";
    /// Nodes are in topological order.
    NodeOrder = "node-order", "IR.md, Nodes (topological order)";
    /// Nodes do not depend on themselves.
    Cycle = "cycle", "IR.md, Graphs (free of cycles)";
    /// Named nodes of a graph have different names.
    NodeNameTwice = "node-name-twice", "IR.md, Names Within a Graph";

    /// Initializers of a graph have different names.
    InitializerTwice = "initializer-twice", "IR.md, Nodes (unique definition)";
    /// Before IR version 4 every initializer is also an input.
    InitializerNotInput = "initializer-not-input", "onnx.proto, GraphProto.initializer";
    /// Since IR version 4 an initializer of a body is not one of its inputs.
    InitializerIsBodyInput = "initializer-is-body-input", "IR.md, Nodes (initializer and input)";
    /// An initializer has the type and shape of the input whose default it is.
    InitializerType = "initializer-type", "IR.md, Graphs (initializer)";

    /// The operator exists in its domain at the imported opset.
    OperatorUnknown = "operator-unknown", "IR.md, Operators";
    /// The operator is not deprecated at the imported opset.
    OperatorDeprecated = "operator-deprecated", "Versioning.md, Operator sets (deprecated)";
    /// A runtime adds no operators to the domains of ONNX.
    OperatorOfRuntime = "operator-of-runtime", "IR.md, Operator Sets";
    /// The number of inputs is allowed by the signature.
    InputCount = "input-count", "IR.md, Nodes (signature)";
    /// The number of outputs is allowed by the signature.
    OutputCount = "output-count", "IR.md, Nodes (signature)";
    /// Only an optional input or output is omitted by an empty name.
    ParameterOmitted = "parameter-omitted", "IR.md, Optional Inputs and Outputs";
    /// The signature declares every attribute of the node.
    AttributeUnknown = "attribute-unknown", "IR.md, Nodes (signature)";
    /// Every required attribute is set.
    AttributeMissing = "attribute-missing", "IR.md, Nodes (signature)";
    /// An attribute has the type that the signature declares.
    AttributeKind = "attribute-kind", "IR.md, Nodes (signature)";
    /// An attribute states its type.
    AttributeUntyped = "attribute-untyped", "onnx.proto, AttributeProto.type";
    /// The domain of a node is written as its import is.
    DomainAlias = "domain-alias", "onnx.proto, OperatorSetIdProto.domain";
    /// A node sets an attribute once.
    AttributeTwice = "attribute-twice", "IR.md, Attributes (name)";
    /// An attribute that selects an element type has a valid number or name.
    AttributeElementType = "attribute-element-type", "Operators.md, the attribute of the operator";
    /// An attribute has a value that the text of the operator allows.
    AttributeValue = "attribute-value", "Operators.md, the attribute of the operator";
    /// An attribute refers to another (`ref_attr_name`) only inside a function.
    ReferenceOutside = "reference-outside", "IR.md, Attributes (ref_attr_name)";
    /// An attribute refers to one that the function declares.
    ReferenceUndeclared = "reference-undeclared", "IR.md, Functions";
    /// A body has as many inputs and outputs as its operator passes.
    BodyArity = "body-arity", "Operators.md, the body of the operator";

    /// The type of an input or output is in the set of the version's signature.
    TypeNotAllowed = "type-not-allowed", "IR.md, Nodes (signature)";
    /// Inputs and outputs that share a type parameter have one type.
    TypeConflict = "type-conflict", "IR.md, Nodes (signature)";
    /// An input or output has its declared type.
    DeclaredType = "declared-type", "IR.md, Graphs (value_info)";
    /// A value between nodes has its declared type.
    ValueTypeWrong = "value-type-wrong", "IR.md, Graphs (value_info)";
    /// The branches of an If return values of the same type.
    BranchType = "branch-type", "Operators.md, If";
    /// A body returns its states in the types in which it reads them, and its condition as a bool.
    StateType = "state-type", "Operators.md, Loop and Scan";

    /// A tensor's data matches its shape and element type.
    TensorData = "tensor-data", "onnx.proto, TensorProto";
    /// External data is in the model's folder and has the declared length.
    ExternalData = "external-data", "ExternalData.md";
    /// The indices of a sparse tensor are in range and ascending.
    SparseData = "sparse-data", "onnx.proto, SparseTensorProto";
    /// The keys of the metadata of a model, graph, node, function, tensor or declaration are distinct.
    MetadataTwice = "metadata-twice", "onnx.proto, metadata_props; IR.md, Other Metadata";
    /// A declared extent is a number of at least 0 or a name.
    ExtentNegative = "extent-negative", "IR.md, Static tensor shapes";
    /// The messages satisfy their definitions.
    Format = "format", "onnx.proto";

    /// Not of the specification: graphs and functions are nested more deeply than the checker's limit.
    TooDeep = "too-deep", "none: a limit of this checker";
}

impl Rule {
    /// Whether a model that breaks the rule still has one meaning, so that a backend may run it: no
    /// result depends on what is missing or repeated, and real models are like this.
    pub const fn keeps_meaning(self) -> bool {
        match self {
            // No result depends on the name or the declaration that is missing, or on metadata.
            Rule::GraphName
            | Rule::MetadataTwice
            // An extent that is not declared is open.
            | Rule::ExtentNegative
            // An attribute without a type has that of the field that is set.
            | Rule::AttributeUntyped
            // `ai.onnx` is the empty domain.
            | Rule::DomainAlias
            | Rule::NodeNameTwice
            | Rule::ValueTypeMissing
            | Rule::ValueShapeMissing
            // The nodes decide the type.
            | Rule::ValueTypeWrong
            | Rule::IrFeature
            // The imports of the function decide.
            | Rule::FunctionImport
            | Rule::InitializerNotInput
            // All topological orders give the same result.
            | Rule::NodeOrder
            // The runtime that adds the operator defines its meaning.
            | Rule::OperatorOfRuntime => true,
            Rule::IrVersion
            | Rule::ImportMissing
            | Rule::OpsetUnknown
            | Rule::ImportTwice
            | Rule::FunctionName
            | Rule::FunctionTwice
            | Rule::FunctionRecursion
            | Rule::FunctionAttributeTwice
            | Rule::FunctionOutputTwice
            | Rule::ValueName
            | Rule::ValueTwice
            | Rule::ValueShadowed
            | Rule::ValueUndefined
            | Rule::OutputUndefined
            | Rule::Cycle
            | Rule::InitializerTwice
            | Rule::InitializerIsBodyInput
            | Rule::InitializerType
            | Rule::OperatorUnknown
            | Rule::OperatorDeprecated
            | Rule::InputCount
            | Rule::OutputCount
            | Rule::ParameterOmitted
            | Rule::AttributeUnknown
            | Rule::AttributeMissing
            | Rule::AttributeKind
            | Rule::AttributeTwice
            | Rule::AttributeElementType
            | Rule::AttributeValue
            | Rule::ReferenceOutside
            | Rule::ReferenceUndeclared
            | Rule::BodyArity
            | Rule::TypeNotAllowed
            | Rule::TypeConflict
            | Rule::DeclaredType
            | Rule::BranchType
            | Rule::StateType
            | Rule::TensorData
            | Rule::ExternalData
            | Rule::SparseData
            | Rule::Format
            | Rule::TooDeep => false,
        }
    }
}
