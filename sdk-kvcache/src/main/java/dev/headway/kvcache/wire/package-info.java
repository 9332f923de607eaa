/**
 * What leaves the machine: block names that other programs compute too.
 *
 * <p>Inside an engine {@link dev.headway.kvcache.BlockHasher} names blocks, by a secret key unless
 * chosen. Routers that send a request to the engine with the longest cached prefix must agree with
 * the engines on the name of a block; {@link dev.headway.kvcache.wire.VllmBlockHasher} computes the
 * names that vLLM 0.28 publishes.
 */
@NullMarked
package dev.headway.kvcache.wire;

import org.jspecify.annotations.NullMarked;
