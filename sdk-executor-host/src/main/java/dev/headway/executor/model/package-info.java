/**
 * Models in the layout of Hugging Face, {@code config.json} and safetensors files, and GGUF files.
 *
 * <pre>{@code
 * folder ─▶ ModelConfigReader ─▶ ModelConfig ─▶ ModelLayout (the tensors it must have)
 *   ├─────▶ QuantizationReader ─▶ WeightQuantization ─▶ MatrixFormat (what a matrix is made of)
 *   └─────▶ SafetensorsFile(s) ─▶ FileTensor ──▶ ModelWeights (mapped, read tensor by tensor)
 * file ───▶ GgufFile ─▶ GgufConfig ─▶ ModelConfig, and GgufWeights ─▶ ModelWeights
 * }</pre>
 *
 * <p>Read {@link dev.headway.executor.model.Model}, then {@link
 * dev.headway.executor.model.ModelConfig} and {@link dev.headway.executor.model.ModelWeights}.
 * Whatever is wrong with a folder is one {@link dev.headway.executor.model.ModelFormatException}
 * that names file, tensor and reason. Nothing here computes anything, opens a connection or depends
 * on a device.
 */
@NullMarked
package dev.headway.executor.model;

import org.jspecify.annotations.NullMarked;
