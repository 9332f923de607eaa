/**
 * What the executor's encoder has made of images and the like: which outputs are kept, and which
 * requests refer to them. The rule of what a step encodes is {@code EncoderBudget} of the package
 * {@code core}.
 */
@NullMarked
package dev.headway.scheduler.encoder;

import org.jspecify.annotations.NullMarked;
