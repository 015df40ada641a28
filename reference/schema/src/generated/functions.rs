//! Generated from onnx 1.23.2 by `cargo xtask generate schema`: do not edit.
//!
//! The static function bodies, sorted by domain, name, since and opset; above each its text.

use crate::literal::body;
use crate::rows::FunctionBody;

pub(crate) static BODIES: [FunctionBody; 43] = [
    // <
    //   domain: "",
    //   opset_import: ["" : 20]
    // >
    // AffineGrid <align_corners>(theta, size) => (grid)
    // {
    //    one = Constant <value_int: int = 1> ()
    //    two = Constant <value_int: int = 2> ()
    //    zero = Constant <value_int: int = 0> ()
    //    four = Constant <value_int: int = 4> ()
    //    one_1d = Constant <value_ints: ints = [1]> ()
    //    zero_1d = Constant <value_ints: ints = [0]> ()
    //    minus_one = Constant <value_int: int = -1> ()
    //    minus_one_f = CastLike (minus_one, theta)
    //    zero_f = CastLike (zero, theta)
    //    one_f = CastLike (one, theta)
    //    two_f = CastLike (two, theta)
    //    constant_align_corners = Constant <value_int: int = @align_corners> ()
    //    constant_align_corners_equal_zero = Equal (constant_align_corners, zero)
    //    size_ndim = Size (size)
    //    condition_is_2d = Equal (size_ndim, four)
    //    N, C, D, H, W = If (condition_is_2d) <then_branch: graph = g1 () => ( N_then,  C_then,  D_then,  H_then,  W_then) {
    //       N_then, C_then, H_then, W_then = Split <num_outputs: int = 4> (size)
    //       D_then = Identity (one_1d)
    //    }, else_branch: graph = g2 () => ( N_else,  C_else,  D_else,  H_else,  W_else) {
    //       N_else, C_else, D_else, H_else, W_else = Split <num_outputs: int = 5> (size)
    //    }>
    //    size_NCDHW = Concat <axis: int = 0> (N, C, D, H, W)
    //    theta_3d = If (condition_is_2d) <then_branch: graph = g3 () => ( theta_then) {
    //       gather_idx_6 = Constant <value_ints: ints = [0, 1, 2, 0, 1, 2]> ()
    //       shape_23 = Constant <value_ints: ints = [2, 3]> ()
    //       gather_idx_23 = Reshape (gather_idx_6, shape_23)
    //       shape_N23 = Concat <axis: int = 0> (N, shape_23)
    //       gather_idx_N23 = Expand (gather_idx_23, shape_N23)
    //       thetaN23 = GatherElements <axis: int = 2> (theta, gather_idx_N23)
    //       r1, r2 = Split <axis: int = 1, num_outputs: int = 2> (thetaN23)
    //       r1_ = Squeeze (r1)
    //       r2_ = Squeeze (r2)
    //       r11, r12, t1 = Split <axis: int = 1, num_outputs: int = 3> (r1_)
    //       r21, r22, t2 = Split <axis: int = 1, num_outputs: int = 3> (r2_)
    //       r11_shape = Shape (r21)
    //       float_zero_1d_ = ConstantOfShape (r11_shape)
    //       float_zero_1d = CastLike (float_zero_1d_, theta)
    //       float_one_1d = Add (float_zero_1d, one_f)
    //       R1 = Concat <axis: int = 1> (r11, r12, float_zero_1d, t1)
    //       R2 = Concat <axis: int = 1> (r21, r22, float_zero_1d, t2)
    //       R3 = Concat <axis: int = 1> (float_zero_1d, float_zero_1d, float_one_1d, float_zero_1d)
    //       R1_ = Unsqueeze (R1, one_1d)
    //       R2_ = Unsqueeze (R2, one_1d)
    //       R3_ = Unsqueeze (R3, one_1d)
    //       theta_then = Concat <axis: int = 1> (R1_, R2_, R3_)
    //    }, else_branch: graph = g4 () => ( theta_else) {
    //       theta_else = Identity (theta)
    //    }>
    //    two_1d = Constant <value_ints: ints = [2]> ()
    //    three_1d = Constant <value_ints: ints = [3]> ()
    //    five_1d = Constant <value_ints: ints = [5]> ()
    //    constant_D_H_W_shape = Slice (size_NCDHW, two_1d, five_1d)
    //    zeros_D_H_W_ = ConstantOfShape (constant_D_H_W_shape)
    //    zeros_D_H_W = CastLike (zeros_D_H_W_, theta)
    //    ones_D_H_W = Add (zeros_D_H_W, one_f)
    //    D_float = CastLike (D, zero_f)
    //    H_float = CastLike (H, zero_f)
    //    W_float = CastLike (W, zero_f)
    //    start_d, step_d, start_h, step_h, start_w, step_w = If (constant_align_corners_equal_zero) <then_branch: graph = h1 () => ( start_d_then,  step_d_then,  start_h_then,  step_h_then,  start_w_then,  step_w_then) {
    //       step_d_then = Div (two_f, D_float)
    //       step_h_then = Div (two_f, H_float)
    //       step_w_then = Div (two_f, W_float)
    //       step_d_half = Div (step_d_then, two_f)
    //       start_d_then = Add (minus_one_f, step_d_half)
    //       step_h_half = Div (step_h_then, two_f)
    //       start_h_then = Add (minus_one_f, step_h_half)
    //       step_w_half = Div (step_w_then, two_f)
    //       start_w_then = Add (minus_one_f, step_w_half)
    //    }, else_branch: graph = h2 () => ( start_d_else,  step_d_else,  start_h_else,  step_h_else,  start_w_else,  step_w_else) {
    //       D_float_nimus_one = Sub (D_float, one_f)
    //       H_float_nimus_one = Sub (H_float, one_f)
    //       W_float_nimus_one = Sub (W_float, one_f)
    //       D_equals_one = Equal (D, one)
    //       step_d_else = If (D_equals_one) <then_branch: graph = g5 () => ( step_d_else_then) {
    //          step_d_else_then = Identity (zero_f)
    //       }, else_branch: graph = g6 () => ( step_d_else_else) {
    //          step_d_else_else = Div (two_f, D_float_nimus_one)
    //       }>
    //       step_h_else = Div (two_f, H_float_nimus_one)
    //       step_w_else = Div (two_f, W_float_nimus_one)
    //       start_d_else = Identity (minus_one_f)
    //       start_h_else = Identity (minus_one_f)
    //       start_w_else = Identity (minus_one_f)
    //    }>
    //    grid_w_steps_int = Range (zero, W, one)
    //    grid_w_steps_float = CastLike (grid_w_steps_int, step_w)
    //    grid_w_steps = Mul (grid_w_steps_float, step_w)
    //    grid_w_0 = Add (start_w, grid_w_steps)
    //    grid_h_steps_int = Range (zero, H, one)
    //    grid_h_steps_float = CastLike (grid_h_steps_int, step_h)
    //    grid_h_steps = Mul (grid_h_steps_float, step_h)
    //    grid_h_0 = Add (start_h, grid_h_steps)
    //    grid_d_steps_int = Range (zero, D, one)
    //    grid_d_steps_float = CastLike (grid_d_steps_int, step_d)
    //    grid_d_steps = Mul (grid_d_steps_float, step_d)
    //    grid_d_0 = Add (start_d, grid_d_steps)
    //    zeros_H_W_D = Transpose <perm: ints = [1, 2, 0]> (zeros_D_H_W)
    //    grid_d_1 = Add (zeros_H_W_D, grid_d_0)
    //    grid_d = Transpose <perm: ints = [2, 0, 1]> (grid_d_1)
    //    zeros_D_W_H = Transpose <perm: ints = [0, 2, 1]> (zeros_D_H_W)
    //    grid_h_1 = Add (zeros_D_W_H, grid_h_0)
    //    grid_h = Transpose <perm: ints = [0, 2, 1]> (grid_h_1)
    //    grid_w = Add (grid_w_0, zeros_D_H_W)
    //    grid_w_usqzed = Unsqueeze (grid_w, minus_one)
    //    grid_h_usqzed = Unsqueeze (grid_h, minus_one)
    //    grid_d_usqzed = Unsqueeze (grid_d, minus_one)
    //    ones_D_H_W_usqzed = Unsqueeze (ones_D_H_W, minus_one)
    //    original_grid = Concat <axis: int = -1> (grid_w_usqzed, grid_h_usqzed, grid_d_usqzed, ones_D_H_W_usqzed)
    //    constant_shape_DHW_4 = Constant <value_ints: ints = [-1, 4]> ()
    //    original_grid_DHW_4 = Reshape (original_grid, constant_shape_DHW_4)
    //    original_grid_4_DHW_ = Transpose (original_grid_DHW_4)
    //    original_grid_4_DHW = CastLike (original_grid_4_DHW_, theta_3d)
    //    grid_N_3_DHW = MatMul (theta_3d, original_grid_4_DHW)
    //    grid_N_DHW_3 = Transpose <perm: ints = [0, 2, 1]> (grid_N_3_DHW)
    //    N_D_H_W_3 = Concat <axis: int = -1> (N, D, H, W, three_1d)
    //    grid_3d_else_ = Reshape (grid_N_DHW_3, N_D_H_W_3)
    //    grid_3d = CastLike (grid_3d_else_, theta_3d)
    //    grid = If (condition_is_2d) <then_branch: graph = g1 () => ( grid_then) {
    //       grid_squeezed = Squeeze (grid_3d, one_1d)
    //       grid_then = Slice (grid_squeezed, zero_1d, two_1d, three_1d)
    //    }, else_branch: graph = g2 () => ( grid_else) {
    //       grid_else = Identity (grid_3d)
    //    }>
    // }
    body(
        "",
        "AffineGrid",
        20,
        20,
        include_bytes!("functions/affine_grid_20_opset_20.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 17]
    // >
    // BlackmanWindow <periodic,output_datatype>(size) => (output)
    // {
    //    A0 = Constant <value: tensor = float {0.42}> ()
    //    A1 = Constant <value: tensor = float {0.5}> ()
    //    A2 = Constant <value: tensor = float {0.08}> ()
    //    Zero = Constant <value: tensor = float {0}> ()
    //    One = Constant <value: tensor = float {1}> ()
    //    Two = Constant <value: tensor = float {2}> ()
    //    Tau = Constant <value: tensor = float {6.2831855}> ()
    //    Periodic_Size_FP = Cast <to: int = 1> (size)
    //    Symmetric_Size_FP = Sub (Periodic_Size_FP, One)
    //    IsPeriodic = Constant <value_int: int = @periodic> ()
    //    IsPeriodic_FP = Cast <to: int = 1> (IsPeriodic)
    //    IsSymmetric_FP = Sub (One, IsPeriodic_FP)
    //    Periodic_Component = Mul (Periodic_Size_FP, IsPeriodic_FP)
    //    Symmetric_Component = Mul (Symmetric_Size_FP, IsSymmetric_FP)
    //    Size_FP = Add (Periodic_Component, Symmetric_Component)
    //    AngularIncrement = Div (Tau, Size_FP)
    //    Range = Range (Zero, Periodic_Size_FP, One)
    //    RangeAngular = Mul (Range, AngularIncrement)
    //    TwoRangeAngular = Mul (RangeAngular, Two)
    //    CosTwoRangeAngular = Cos (TwoRangeAngular)
    //    A2_Component = Mul (A2, CosTwoRangeAngular)
    //    CosRangeAngular = Cos (RangeAngular)
    //    A1_Component = Mul (A1, CosRangeAngular)
    //    Temp0 = Sub (A0, A1_Component)
    //    Temp1 = Add (Temp0, A2_Component)
    //    output = Cast <to: int = @output_datatype> (Temp1)
    // }
    body(
        "",
        "BlackmanWindow",
        17,
        17,
        include_bytes!("functions/blackman_window_17_opset_17.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 28]
    // >
    // Celu <alpha>(X) => (Y)
    // {
    //    Alpha = Constant <value_float: float = @alpha> ()
    //    AlphaCast = CastLike (Alpha, X)
    //    XScaled = Div (X, AlphaCast)
    //    EluResult = Elu <alpha: float = 1> (XScaled)
    //    Y = Mul (AlphaCast, EluResult)
    // }
    body(
        "",
        "Celu",
        28,
        28,
        include_bytes!("functions/celu_28_opset_28.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 11]
    // >
    // DynamicQuantizeLinear (x) => (y, y_scale, y_zero_point)
    // {
    //    Q_Min = Constant <value: tensor = float {0}> ()
    //    Q_Max = Constant <value: tensor = float {255}> ()
    //    X_Min = ReduceMin <keepdims: int = 0> (x)
    //    X_Min_Adjusted = Min (X_Min, Q_Min)
    //    X_Max = ReduceMax <keepdims: int = 0> (x)
    //    X_Max_Adjusted = Max (X_Max, Q_Min)
    //    X_Range = Sub (X_Max_Adjusted, X_Min_Adjusted)
    //    Scale = Div (X_Range, Q_Max)
    //    Min_Scaled = Div (X_Min_Adjusted, Scale)
    //    Initial_ZeroPoint_FP = Sub (Q_Min, Min_Scaled)
    //    Clipped_ZeroPoint_FP = Clip (Initial_ZeroPoint_FP, Q_Min, Q_Max)
    //    Rounded_ZeroPoint_FP = Round (Clipped_ZeroPoint_FP)
    //    Zeropoint = Cast <to: int = 2> (Rounded_ZeroPoint_FP)
    //    y_scale = Identity (Scale)
    //    y_zero_point = Identity (Zeropoint)
    //    y = QuantizeLinear (x, Scale, Zeropoint)
    // }
    body(
        "",
        "DynamicQuantizeLinear",
        11,
        11,
        include_bytes!("functions/dynamic_quantize_linear_11_opset_11.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // Elu <alpha>(X) => (Y)
    // {
    //    Alpha = Constant <value_float: float = @alpha> ()
    //    AlphaCast = CastLike (Alpha, X)
    //    Zero = Constant <value: tensor = float {0}> ()
    //    ZeroCast = CastLike (Zero, X)
    //    One = Constant <value: tensor = float {1}> ()
    //    OneCast = CastLike (One, X)
    //    XLessThanZero = Less (X, ZeroCast)
    //    ExpX = Exp (X)
    //    ExpXSubOne = Sub (ExpX, OneCast)
    //    AlphaMulExpXSubOne = Mul (AlphaCast, ExpXSubOne)
    //    Y = Where (XLessThanZero, AlphaMulExpXSubOne, X)
    // }
    body("", "Elu", 6, 18, include_bytes!("functions/elu_6_opset_18.binpb")),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // Elu <alpha>(X) => (Y)
    // {
    //    Alpha = Constant <value_float: float = @alpha> ()
    //    AlphaCast = CastLike (Alpha, X)
    //    Zero = Constant <value: tensor = float {0}> ()
    //    ZeroCast = CastLike (Zero, X)
    //    One = Constant <value: tensor = float {1}> ()
    //    OneCast = CastLike (One, X)
    //    XLessThanZero = Less (X, ZeroCast)
    //    ExpX = Exp (X)
    //    ExpXSubOne = Sub (ExpX, OneCast)
    //    AlphaMulExpXSubOne = Mul (AlphaCast, ExpXSubOne)
    //    Y = Where (XLessThanZero, AlphaMulExpXSubOne, X)
    // }
    body(
        "",
        "Elu",
        22,
        18,
        include_bytes!("functions/elu_22_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 12]
    // >
    // GreaterOrEqual (A, B) => (C)
    // {
    //    O1 = Greater (A, B)
    //    O2 = Equal (A, B)
    //    C = Or (O1, O2)
    // }
    body(
        "",
        "GreaterOrEqual",
        12,
        12,
        include_bytes!("functions/greater_or_equal_12_opset_12.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 16]
    // >
    // GreaterOrEqual (A, B) => (C)
    // {
    //    O1 = Greater (A, B)
    //    O2 = Equal (A, B)
    //    C = Or (O1, O2)
    // }
    body(
        "",
        "GreaterOrEqual",
        16,
        16,
        include_bytes!("functions/greater_or_equal_16_opset_16.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 17]
    // >
    // HammingWindow <periodic,output_datatype>(size) => (output)
    // {
    //    A0 = Constant <value: tensor = float {0.54347825}> ()
    //    A1 = Constant <value: tensor = float {0.45652175}> ()
    //    A2 = Constant <value: tensor = float {0}> ()
    //    Zero = Constant <value: tensor = float {0}> ()
    //    One = Constant <value: tensor = float {1}> ()
    //    Two = Constant <value: tensor = float {2}> ()
    //    Tau = Constant <value: tensor = float {6.2831855}> ()
    //    Periodic_Size_FP = Cast <to: int = 1> (size)
    //    Symmetric_Size_FP = Sub (Periodic_Size_FP, One)
    //    IsPeriodic = Constant <value_int: int = @periodic> ()
    //    IsPeriodic_FP = Cast <to: int = 1> (IsPeriodic)
    //    IsSymmetric_FP = Sub (One, IsPeriodic_FP)
    //    Periodic_Component = Mul (Periodic_Size_FP, IsPeriodic_FP)
    //    Symmetric_Component = Mul (Symmetric_Size_FP, IsSymmetric_FP)
    //    Size_FP = Add (Periodic_Component, Symmetric_Component)
    //    AngularIncrement = Div (Tau, Size_FP)
    //    Range = Range (Zero, Periodic_Size_FP, One)
    //    RangeAngular = Mul (Range, AngularIncrement)
    //    TwoRangeAngular = Mul (RangeAngular, Two)
    //    CosTwoRangeAngular = Cos (TwoRangeAngular)
    //    A2_Component = Mul (A2, CosTwoRangeAngular)
    //    CosRangeAngular = Cos (RangeAngular)
    //    A1_Component = Mul (A1, CosRangeAngular)
    //    Temp0 = Sub (A0, A1_Component)
    //    Temp1 = Add (Temp0, A2_Component)
    //    output = Cast <to: int = @output_datatype> (Temp1)
    // }
    body(
        "",
        "HammingWindow",
        17,
        17,
        include_bytes!("functions/hamming_window_17_opset_17.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 17]
    // >
    // HannWindow <periodic,output_datatype>(size) => (output)
    // {
    //    A0 = Constant <value: tensor = float {0.5}> ()
    //    A1 = Constant <value: tensor = float {0.5}> ()
    //    A2 = Constant <value: tensor = float {0}> ()
    //    Zero = Constant <value: tensor = float {0}> ()
    //    One = Constant <value: tensor = float {1}> ()
    //    Two = Constant <value: tensor = float {2}> ()
    //    Tau = Constant <value: tensor = float {6.2831855}> ()
    //    Periodic_Size_FP = Cast <to: int = 1> (size)
    //    Symmetric_Size_FP = Sub (Periodic_Size_FP, One)
    //    IsPeriodic = Constant <value_int: int = @periodic> ()
    //    IsPeriodic_FP = Cast <to: int = 1> (IsPeriodic)
    //    IsSymmetric_FP = Sub (One, IsPeriodic_FP)
    //    Periodic_Component = Mul (Periodic_Size_FP, IsPeriodic_FP)
    //    Symmetric_Component = Mul (Symmetric_Size_FP, IsSymmetric_FP)
    //    Size_FP = Add (Periodic_Component, Symmetric_Component)
    //    AngularIncrement = Div (Tau, Size_FP)
    //    Range = Range (Zero, Periodic_Size_FP, One)
    //    RangeAngular = Mul (Range, AngularIncrement)
    //    TwoRangeAngular = Mul (RangeAngular, Two)
    //    CosTwoRangeAngular = Cos (TwoRangeAngular)
    //    A2_Component = Mul (A2, CosTwoRangeAngular)
    //    CosRangeAngular = Cos (RangeAngular)
    //    A1_Component = Mul (A1, CosRangeAngular)
    //    Temp0 = Sub (A0, A1_Component)
    //    Temp1 = Add (Temp0, A2_Component)
    //    output = Cast <to: int = @output_datatype> (Temp1)
    // }
    body(
        "",
        "HannWindow",
        17,
        17,
        include_bytes!("functions/hann_window_17_opset_17.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // HardSigmoid <beta,alpha>(X) => (Y)
    // {
    //    Alpha = Constant <value_float: float = @alpha> ()
    //    AlphaCast = CastLike (Alpha, X)
    //    Beta = Constant <value_float: float = @beta> ()
    //    BetaCast = CastLike (Beta, X)
    //    Zero = Constant <value: tensor = float {0}> ()
    //    ZeroCast = CastLike (Zero, X)
    //    One = Constant <value: tensor = float {1}> ()
    //    OneCast = CastLike (One, X)
    //    AlphaMulX = Mul (X, AlphaCast)
    //    AlphaMulXAddBeta = Add (AlphaMulX, BetaCast)
    //    MinOneOrAlphaMulXAddBeta = Min (AlphaMulXAddBeta, OneCast)
    //    Y = Max (MinOneOrAlphaMulXAddBeta, ZeroCast)
    // }
    body(
        "",
        "HardSigmoid",
        6,
        18,
        include_bytes!("functions/hard_sigmoid_6_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // HardSigmoid <beta,alpha>(X) => (Y)
    // {
    //    Alpha = Constant <value_float: float = @alpha> ()
    //    AlphaCast = CastLike (Alpha, X)
    //    Beta = Constant <value_float: float = @beta> ()
    //    BetaCast = CastLike (Beta, X)
    //    Zero = Constant <value: tensor = float {0}> ()
    //    ZeroCast = CastLike (Zero, X)
    //    One = Constant <value: tensor = float {1}> ()
    //    OneCast = CastLike (One, X)
    //    AlphaMulX = Mul (X, AlphaCast)
    //    AlphaMulXAddBeta = Add (AlphaMulX, BetaCast)
    //    MinOneOrAlphaMulXAddBeta = Min (AlphaMulXAddBeta, OneCast)
    //    Y = Max (MinOneOrAlphaMulXAddBeta, ZeroCast)
    // }
    body(
        "",
        "HardSigmoid",
        22,
        18,
        include_bytes!("functions/hard_sigmoid_22_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 14]
    // >
    // HardSwish (X) => (Y)
    // {
    //    HS_X = HardSigmoid <alpha: float = 0.16666667, beta: float = 0.5> (X)
    //    Y = Mul (X, HS_X)
    // }
    body(
        "",
        "HardSwish",
        14,
        14,
        include_bytes!("functions/hard_swish_14_opset_14.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 22]
    // >
    // HardSwish (X) => (Y)
    // {
    //    HS_X = HardSigmoid <alpha: float = 0.16666667, beta: float = 0.5> (X)
    //    Y = Mul (X, HS_X)
    // }
    body(
        "",
        "HardSwish",
        22,
        22,
        include_bytes!("functions/hard_swish_22_opset_22.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 16]
    // >
    // LeakyRelu <alpha>(X) => (Y)
    // {
    //    Alpha = Constant <value_float: float = @alpha> ()
    //    AlphaCast = CastLike (Alpha, X)
    //    Zero = Constant <value: tensor = float {0}> ()
    //    ZeroCast = CastLike (Zero, X)
    //    XLessThanZero = Less (X, ZeroCast)
    //    AlphaMulX = Mul (AlphaCast, X)
    //    Y = Where (XLessThanZero, AlphaMulX, X)
    // }
    body(
        "",
        "LeakyRelu",
        16,
        16,
        include_bytes!("functions/leaky_relu_16_opset_16.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 12]
    // >
    // LessOrEqual (A, B) => (C)
    // {
    //    O1 = Less (A, B)
    //    O2 = Equal (A, B)
    //    C = Or (O1, O2)
    // }
    body(
        "",
        "LessOrEqual",
        12,
        12,
        include_bytes!("functions/less_or_equal_12_opset_12.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 16]
    // >
    // LessOrEqual (A, B) => (C)
    // {
    //    O1 = Less (A, B)
    //    O2 = Equal (A, B)
    //    C = Or (O1, O2)
    // }
    body(
        "",
        "LessOrEqual",
        16,
        16,
        include_bytes!("functions/less_or_equal_16_opset_16.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 9]
    // >
    // MeanVarianceNormalization <axes>(X) => (Y)
    // {
    //    Exponent = Constant <value: tensor = float {2}> ()
    //    Epsilon = Constant <value: tensor = float {1e-09}> ()
    //    X_RM = ReduceMean <axes: ints = @axes> (X)
    //    EX_squared = Pow (X_RM, Exponent)
    //    X_squared = Pow (X, Exponent)
    //    E_Xsquared = ReduceMean <axes: ints = @axes> (X_squared)
    //    Variance = Sub (E_Xsquared, EX_squared)
    //    STD = Sqrt (Variance)
    //    X_variance = Sub (X, X_RM)
    //    Processed_STD = Add (STD, Epsilon)
    //    Y = Div (X_variance, Processed_STD)
    // }
    body(
        "",
        "MeanVarianceNormalization",
        9,
        9,
        include_bytes!("functions/mean_variance_normalization_9_opset_9.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 13]
    // >
    // MeanVarianceNormalization <axes>(X) => (Y)
    // {
    //    Exponent = Constant <value: tensor = float {2}> ()
    //    Epsilon = Constant <value: tensor = float {1e-09}> ()
    //    X_RM = ReduceMean <axes: ints = @axes> (X)
    //    EX_squared = Pow (X_RM, Exponent)
    //    X_squared = Pow (X, Exponent)
    //    E_Xsquared = ReduceMean <axes: ints = @axes> (X_squared)
    //    Variance = Sub (E_Xsquared, EX_squared)
    //    STD = Sqrt (Variance)
    //    X_variance = Sub (X, X_RM)
    //    Processed_STD = Add (STD, Epsilon)
    //    Y = Div (X_variance, Processed_STD)
    // }
    body(
        "",
        "MeanVarianceNormalization",
        13,
        13,
        include_bytes!("functions/mean_variance_normalization_13_opset_13.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // MeanVarianceNormalization <axes>(X) => (Y)
    // {
    //    Exponent = Constant <value: tensor = float {2}> ()
    //    Epsilon = Constant <value: tensor = float {1e-09}> ()
    //    axes = Constant <value_ints: ints = @axes> ()
    //    X_RM = ReduceMean (X, axes)
    //    EX_squared = Pow (X_RM, Exponent)
    //    X_squared = Pow (X, Exponent)
    //    E_Xsquared = ReduceMean (X_squared, axes)
    //    Variance = Sub (E_Xsquared, EX_squared)
    //    STD = Sqrt (Variance)
    //    X_variance = Sub (X, X_RM)
    //    Processed_STD = Add (STD, Epsilon)
    //    Y = Div (X_variance, Processed_STD)
    // }
    body(
        "",
        "MeanVarianceNormalization",
        13,
        18,
        include_bytes!("functions/mean_variance_normalization_13_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // Mish (X) => (Y)
    // {
    //    Softplus_X = Softplus (X)
    //    TanHSoftplusX = Tanh (Softplus_X)
    //    Y = Mul (X, TanHSoftplusX)
    // }
    body(
        "",
        "Mish",
        18,
        18,
        include_bytes!("functions/mish_18_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 22]
    // >
    // Mish (X) => (Y)
    // {
    //    Softplus_X = Softplus (X)
    //    TanHSoftplusX = Tanh (Softplus_X)
    //    Y = Mul (X, TanHSoftplusX)
    // }
    body(
        "",
        "Mish",
        22,
        22,
        include_bytes!("functions/mish_22_opset_22.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 16]
    // >
    // PRelu (X, slope) => (Y)
    // {
    //    Zero = Constant <value: tensor = float {0}> ()
    //    ZeroCast = CastLike (Zero, X)
    //    XLessThanZero = Less (X, ZeroCast)
    //    SlopeMulX = Mul (slope, X)
    //    Y = Where (XLessThanZero, SlopeMulX, X)
    // }
    body(
        "",
        "PRelu",
        16,
        16,
        include_bytes!("functions/p_relu_16_opset_16.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 11]
    // >
    // Range (start, limit, delta) => (output)
    // {
    //    sub_result = Sub (limit, start)
    //    sub_result_casted = Cast <to: int = 1> (sub_result)
    //    delta_casted = Cast <to: int = 1> (delta)
    //    div_result = Div (sub_result_casted, delta_casted)
    //    ceil_result = Ceil (div_result)
    //    ceil_result_relu = Relu (ceil_result)
    //    ceil_result_relu_int = Cast <to: int = 7> (ceil_result_relu)
    //    ceil_result_relu_bool = Cast <to: int = 9> (ceil_result_relu)
    //    variadic_output, output = Loop (ceil_result_relu_int, ceil_result_relu_bool, start) <body: graph = loop_body_attribute (int64 i, bool cond,  prev) => ( cond_out,  current,  range) {
    //       cond_out = Identity (cond)
    //       current = Add (prev, delta)
    //       range = Identity (prev)
    //    }>
    // }
    body(
        "",
        "Range",
        11,
        11,
        include_bytes!("functions/range_11_opset_11.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // ReduceL1 <noop_with_empty_axes,keepdims>(data, axes) => (reduced)
    // {
    //    data_abs = Abs (data)
    //    reduced = ReduceSum <keepdims: int = @keepdims, noop_with_empty_axes: int = @noop_with_empty_axes> (data_abs, axes)
    // }
    body(
        "",
        "ReduceL1",
        18,
        18,
        include_bytes!("functions/reduce_l1_18_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // ReduceL2 <noop_with_empty_axes,keepdims>(data, axes) => (reduced)
    // {
    //    data_square = Mul (data, data)
    //    sum_square = ReduceSum <keepdims: int = @keepdims, noop_with_empty_axes: int = @noop_with_empty_axes> (data_square, axes)
    //    sum_square_dbl = Cast <to: int = 1> (sum_square)
    //    sqrt = Sqrt (sum_square_dbl)
    //    reduced = CastLike (sqrt, data)
    // }
    body(
        "",
        "ReduceL2",
        18,
        18,
        include_bytes!("functions/reduce_l2_18_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // ReduceLogSum <noop_with_empty_axes,keepdims>(data, axes) => (reduced)
    // {
    //    reduced_sum = ReduceSum <keepdims: int = @keepdims, noop_with_empty_axes: int = @noop_with_empty_axes> (data, axes)
    //    reduced = Log (reduced_sum)
    // }
    body(
        "",
        "ReduceLogSum",
        18,
        18,
        include_bytes!("functions/reduce_log_sum_18_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 28]
    // >
    // ReduceLogSum <noop_with_empty_axes,keepdims>(data, axes) => (reduced)
    // {
    //    reduced_sum = ReduceSum <keepdims: int = @keepdims, noop_with_empty_axes: int = @noop_with_empty_axes> (data, axes)
    //    reduced = Log (reduced_sum)
    // }
    body(
        "",
        "ReduceLogSum",
        28,
        28,
        include_bytes!("functions/reduce_log_sum_28_opset_28.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // ReduceLogSumExp <noop_with_empty_axes,keepdims>(data, axes) => (reduced)
    // {
    //    data_double = Cast <to: int = 11> (data)
    //    data_exp = Exp (data_double)
    //    reduced_sum = ReduceSum <keepdims: int = @keepdims, noop_with_empty_axes: int = @noop_with_empty_axes> (data_exp, axes)
    //    reduced_double = Log (reduced_sum)
    //    reduced = CastLike (reduced_double, data)
    // }
    body(
        "",
        "ReduceLogSumExp",
        18,
        18,
        include_bytes!("functions/reduce_log_sum_exp_18_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 28]
    // >
    // ReduceLogSumExp <noop_with_empty_axes,keepdims>(data, axes) => (reduced)
    // {
    //    data_double = Cast <to: int = 11> (data)
    //    data_exp = Exp (data_double)
    //    reduced_sum = ReduceSum <keepdims: int = @keepdims, noop_with_empty_axes: int = @noop_with_empty_axes> (data_exp, axes)
    //    reduced_double = Log (reduced_sum)
    //    reduced = CastLike (reduced_double, data)
    // }
    body(
        "",
        "ReduceLogSumExp",
        28,
        28,
        include_bytes!("functions/reduce_log_sum_exp_28_opset_28.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // ReduceSumSquare <noop_with_empty_axes,keepdims>(data, axes) => (reduced)
    // {
    //    data_square = Mul (data, data)
    //    reduced = ReduceSum <keepdims: int = @keepdims, noop_with_empty_axes: int = @noop_with_empty_axes> (data_square, axes)
    // }
    body(
        "",
        "ReduceSumSquare",
        18,
        18,
        include_bytes!("functions/reduce_sum_square_18_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // Relu (X) => (Y)
    // {
    //    Zero = Constant <value: tensor = float {0}> ()
    //    ZeroCast = CastLike (Zero, X)
    //    Y = Max (X, ZeroCast)
    // }
    body(
        "",
        "Relu",
        14,
        18,
        include_bytes!("functions/relu_14_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // Selu <gamma,alpha>(X) => (Y)
    // {
    //    Alpha = Constant <value_float: float = @alpha> ()
    //    AlphaCast = CastLike (Alpha, X)
    //    Gamma = Constant <value_float: float = @gamma> ()
    //    GammaCast = CastLike (Gamma, X)
    //    Zero = Constant <value: tensor = float {0}> ()
    //    ZeroCast = CastLike (Zero, X)
    //    ExpX = Exp (X)
    //    AlphaMulExpX = Mul (AlphaCast, ExpX)
    //    AlphaMulExpXSubAlpha = Sub (AlphaMulExpX, AlphaCast)
    //    Neg = Mul (GammaCast, AlphaMulExpXSubAlpha)
    //    Pos = Mul (GammaCast, X)
    //    XLessThanZero = Less (X, ZeroCast)
    //    Y = Where (XLessThanZero, Neg, Pos)
    // }
    body(
        "",
        "Selu",
        6,
        18,
        include_bytes!("functions/selu_6_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // Selu <gamma,alpha>(X) => (Y)
    // {
    //    Alpha = Constant <value_float: float = @alpha> ()
    //    AlphaCast = CastLike (Alpha, X)
    //    Gamma = Constant <value_float: float = @gamma> ()
    //    GammaCast = CastLike (Gamma, X)
    //    Zero = Constant <value: tensor = float {0}> ()
    //    ZeroCast = CastLike (Zero, X)
    //    ExpX = Exp (X)
    //    AlphaMulExpX = Mul (AlphaCast, ExpX)
    //    AlphaMulExpXSubAlpha = Sub (AlphaMulExpX, AlphaCast)
    //    Neg = Mul (GammaCast, AlphaMulExpXSubAlpha)
    //    Pos = Mul (GammaCast, X)
    //    XLessThanZero = Less (X, ZeroCast)
    //    Y = Where (XLessThanZero, Neg, Pos)
    // }
    body(
        "",
        "Selu",
        22,
        18,
        include_bytes!("functions/selu_22_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // Shrink <bias,lambd>(input) => (output)
    // {
    //    Lambd = Constant <value_float: float = @lambd> ()
    //    LambdCast = CastLike (Lambd, input)
    //    Bias = Constant <value_float: float = @bias> ()
    //    BiasCast = CastLike (Bias, input)
    //    Zero = Constant <value: tensor = float {0}> ()
    //    ZeroCast = CastLike (Zero, input)
    //    NegLmbda = Neg (LambdCast)
    //    InputLessThanNegLambda = Less (input, NegLmbda)
    //    InputAddBias = Add (input, BiasCast)
    //    InputSubBias = Sub (input, BiasCast)
    //    LambdaLessThanInput = Less (LambdCast, input)
    //    InputSubBiasOrZero = Where (LambdaLessThanInput, InputSubBias, ZeroCast)
    //    output = Where (InputLessThanNegLambda, InputAddBias, InputSubBiasOrZero)
    // }
    body(
        "",
        "Shrink",
        9,
        18,
        include_bytes!("functions/shrink_9_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // Softplus (X) => (Y)
    // {
    //    exp_x = Exp (X)
    //    one = Constant <value: tensor = float {1}> ()
    //    one_cast = CastLike (one, X)
    //    exp_x_add_one = Add (exp_x, one_cast)
    //    Y = Log (exp_x_add_one)
    // }
    body(
        "",
        "Softplus",
        1,
        18,
        include_bytes!("functions/softplus_1_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // Softplus (X) => (Y)
    // {
    //    exp_x = Exp (X)
    //    one = Constant <value: tensor = float {1}> ()
    //    one_cast = CastLike (one, X)
    //    exp_x_add_one = Add (exp_x, one_cast)
    //    Y = Log (exp_x_add_one)
    // }
    body(
        "",
        "Softplus",
        22,
        18,
        include_bytes!("functions/softplus_22_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // Softsign (input) => (output)
    // {
    //    One = Constant <value: tensor = float {1}> ()
    //    OneCast = CastLike (One, input)
    //    AbsInput = Abs (input)
    //    OneAddAbsInput = Add (OneCast, AbsInput)
    //    output = Div (input, OneAddAbsInput)
    // }
    body(
        "",
        "Softsign",
        1,
        18,
        include_bytes!("functions/softsign_1_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // Softsign (input) => (output)
    // {
    //    One = Constant <value: tensor = float {1}> ()
    //    OneCast = CastLike (One, input)
    //    AbsInput = Abs (input)
    //    OneAddAbsInput = Add (OneCast, AbsInput)
    //    output = Div (input, OneAddAbsInput)
    // }
    body(
        "",
        "Softsign",
        22,
        18,
        include_bytes!("functions/softsign_22_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 28]
    // >
    // SwiGLU <alpha>(A, B) => (Y)
    // {
    //    SwishGate = Swish <alpha: float = @alpha> (A)
    //    Y = Mul (SwishGate, B)
    // }
    body(
        "",
        "SwiGLU",
        28,
        28,
        include_bytes!("functions/swi_glu_28_opset_28.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 24]
    // >
    // Swish <alpha>(X) => (Y)
    // {
    //    Alpha = Constant <value_float: float = @alpha> ()
    //    AlphaCast = CastLike (Alpha, X)
    //    AlphaMulX = Mul (AlphaCast, X)
    //    SigmoidAlphaMulX = Sigmoid (AlphaMulX)
    //    Y = Mul (X, SigmoidAlphaMulX)
    // }
    body(
        "",
        "Swish",
        24,
        24,
        include_bytes!("functions/swish_24_opset_24.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // ThresholdedRelu <alpha>(X) => (Y)
    // {
    //    Alpha = Constant <value_float: float = @alpha> ()
    //    AlphaCast = CastLike (Alpha, X)
    //    Zero = Constant <value: tensor = float {0}> ()
    //    ZeroCast = CastLike (Zero, X)
    //    AlphaLessThanX = Less (AlphaCast, X)
    //    Y = Where (AlphaLessThanX, X, ZeroCast)
    // }
    body(
        "",
        "ThresholdedRelu",
        10,
        18,
        include_bytes!("functions/thresholded_relu_10_opset_18.binpb"),
    ),
    // <
    //   domain: "",
    //   opset_import: ["" : 18]
    // >
    // ThresholdedRelu <alpha>(X) => (Y)
    // {
    //    Alpha = Constant <value_float: float = @alpha> ()
    //    AlphaCast = CastLike (Alpha, X)
    //    Zero = Constant <value: tensor = float {0}> ()
    //    ZeroCast = CastLike (Zero, X)
    //    AlphaLessThanX = Less (AlphaCast, X)
    //    Y = Where (AlphaLessThanX, X, ZeroCast)
    // }
    body(
        "",
        "ThresholdedRelu",
        22,
        18,
        include_bytes!("functions/thresholded_relu_22_opset_18.binpb"),
    ),
];
