/** LangChain4j on an engine in the same process. */
@NullMarked
package dev.headway.examples.langchain4j;

import org.jspecify.annotations.NullMarked;
