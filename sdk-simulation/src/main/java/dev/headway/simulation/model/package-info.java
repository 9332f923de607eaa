/**
 * What a forward pass of a model consists of: shapes, parameters, KV bytes, and the operators that
 * one device of a parallel group runs.
 *
 * <p>Read {@link dev.headway.simulation.model.ModelSpec}, then {@link
 * dev.headway.simulation.model.ForwardPass}. {@link dev.headway.simulation.model.ModelSpecReader}
 * reads the {@code config.json} of a Hugging Face folder; weights are never needed.
 */
@NullMarked
package dev.headway.simulation.model;

import org.jspecify.annotations.NullMarked;
