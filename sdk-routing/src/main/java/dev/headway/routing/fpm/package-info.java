/**
 * Forward-pass metrics on the wire: one message per iteration, as Dynamo's planner and profiler
 * read it from vLLM and SGLang. Read {@link dev.headway.routing.fpm.ForwardPassPublisher}.
 */
@NullMarked
package dev.headway.routing.fpm;

import org.jspecify.annotations.NullMarked;
