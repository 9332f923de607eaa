package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;

/** A tensor in a mapped file, its dtype and shape checked. */
record StoredTensor(TensorSpec spec, WeightType type, MemorySegment bytes) {}
