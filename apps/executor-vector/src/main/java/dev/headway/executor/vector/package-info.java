/**
 * A forward pass on the JDK's Vector API: the CPU executor of {@code headway serve}.
 *
 * <p>Read {@link dev.headway.executor.vector.VectorExecutor}, then {@code VectorModel}, then {@code
 * PackedLinear} and {@code HeadGroup} for the two loops in which the time goes. What is not speed
 * is shared with the reference: {@link dev.headway.executor.reference.HostExecutor} checks entries,
 * moves blocks and picks tokens.
 *
 * <p>One rule makes results repeatable: <b>every sum has one written order, which nothing but the
 * length of the sum decides.</b> Sums of products are one chain of fused multiply-adds in one lane:
 * a product adds its inputs in ascending order to the bias, a score adds the dimensions of the
 * head, an attended value adds the positions. The softmax's divisor is one chain of additions, a
 * norm's sum of squares four chains of doubles, in plain Java. Lanes, rows, threads and pages only
 * say which chains are computed side by side, never how one is summed. So a token does not depend
 * on the batch, the chunks, the threads, the block size or the width of the machine's vectors, to
 * the last bit.
 *
 * <p>The Vector API is an incubator module, so the JVM must be started with {@code --add-modules
 * jdk.incubator.vector}. {@link dev.headway.executor.vector.VectorSupport} says whether it was; no
 * other class here may be touched before.
 */
@NullMarked
package dev.headway.executor.vector;

import org.jspecify.annotations.NullMarked;
