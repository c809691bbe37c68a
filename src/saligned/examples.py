"""Problems to try: for a first look, the web page and the benchmark."""

EXAMPLES: tuple[str, ...] = (
    "一本书240页，小明第一天看了全书的1/4，第二天看了30页，还剩多少页？",
    "小明有10元，买了5支钢笔，每支1元，剩下的钱买笔记本，每本0.5元，可以买多少本？",
    "商店里一件上衣原价360元，打折后便宜了25%，现在卖多少元？",
    "甲、乙两地相距480千米，一辆汽车每小时行80千米，从甲地到乙地需要几小时？",
    "果园里有苹果树150棵，梨树的棵数是苹果树的2/3，两种树一共有多少棵？",
    "食堂运来35袋大米，每袋50千克，吃了420千克以后，还剩多少千克？",
    "买3千克苹果用去15元，买1500克要多少元？",
    "一个长方形花坛长12米，宽8米，它的面积是多少平方米？",
    "6.75减去一个数的5倍等于2.75，这个数是多少？",
    "有58根香蕉，每个篮子装6根，要正好装满9个篮子，需要拿走多少根香蕉？",
    "小红前面5人，后面7人，一共有多少人？",
    "一项工程，甲队单独做12天完成，乙队单独做15天完成，两队合做几天可以完成？",
    "3.8-2.54+1.46=？",
)

ENGLISH_EXAMPLES: tuple[str, ...] = (
    "A library had 480 books and lent out 125 of them. How many books are left?",
    "Sara bought 4 boxes with 12 pencils in each box. How many pencils did she buy?",
    "A train travels 240 miles in 4 hours. How many miles does it travel each hour?",
    "Ben has 15 red marbles, 9 blue marbles and 6 green marbles. How many marbles does he have in all?",
)
