/**
 * How logits become a token: one exact definition, which the CUDA kernels follow too.
 *
 * <p>In this order, after vLLM's V1 sampler:
 *
 * <ol>
 *   <li>{@link dev.headway.executor.sampling.TokenRules}: bans, biases, and no end before {@code
 *       minTokens}.
 *   <li>{@link dev.headway.executor.sampling.Penalties}: repetition over prompt and outputs, then
 *       frequency and presence over outputs.
 *   <li>{@link dev.headway.executor.sampling.TokenMask}: what the request's grammar does not allow.
 *       A request for which no token is left fails.
 *   <li>Temperature 0: the largest logit, the lowest id of equals; also where the largest is
 *       infinite after the division. Otherwise every logit is divided by the temperature, in float.
 *   <li>{@link dev.headway.executor.sampling.TokenFilter}: min-p, then top-k among what is left,
 *       then top-p over the softmax of what is left. Equal logits share their fate in all three.
 *   <li>{@link dev.headway.executor.sampling.GumbelNoise}: the largest sum of scaled logit and
 *       noise among the tokens kept, the lowest id of equals. That draws from the softmax (Gumbel
 *       1954) without summing it. The noise depends on seed, token id and position alone, so
 *       chunking, batching and preemption cannot change a token.
 * </ol>
 *
 * <p>Log-probabilities are the log-softmax of the logits as the model made them, before all of the
 * above (vLLM's {@code raw_logprobs}).
 *
 * <p>Classes here hold scratch space and belong to one thread; once made they allocate nothing but
 * the log-probabilities they answer.
 */
@NullMarked
package dev.headway.executor.sampling;

import org.jspecify.annotations.NullMarked;
